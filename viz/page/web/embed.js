/* A page within another one: `?embed` leaves the picture and the buttons, and the two pages exchange messages.
 *
 * To this page: { topogemm: "set", step, grid, … } sets what is named; { topogemm: "step", by } goes on by so many steps, or
 * one; { topogemm: "state" } asks. From it: "ready" once, then "state" at every change, with step, last, label and hash. */

function embeds() {
  return new URLSearchParams(location.search).has("embed") || addressValues(location.href).has("embed");
}

function listenToParent(answer, act) {
  if (window.parent === window) return;
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || typeof data?.topogemm !== "string") return;
    act(data);
    if (data.topogemm === "state") tellParent("state", answer());
  });
}

function tellParent(what, state) {
  if (window.parent !== window) window.parent.postMessage({ topogemm: what, ...state }, "*");
}
