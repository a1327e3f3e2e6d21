/* Keeps the reader's changes in the address, so that a copied or reloaded address shows the same page. Names of the second
 * schedule end in 2. Text is deflated and encoded as URL-safe base64. */

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packText(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/* The text, or null where it is damaged. */
async function unpackText(packed) {
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
  } catch {
    return null;
  }
}

const addressValues = (url) => new URLSearchParams(url.split("#")[1] ?? "");
const suffixOf = (lab) => (lab.number ? String(lab.number + 1) : "");

/* The text and settings that the address gives for this lab. */
async function readEdits(lab, values) {
  const suffix = suffixOf(lab);
  const text = values.has("text" + suffix) ? await unpackText(values.get("text" + suffix)) : null;
  const edits = {};
  if (text !== null) edits.schedule = text;
  else if (values.has("text" + suffix)) edits.damaged = true;
  for (const name of settingNames) if (values.has(name + suffix)) edits[name] = values.get(name + suffix);
  return edits;
}

/* What is followed in the lab. */
function readFollowed(lab, values) {
  const block = values.get("block" + suffixOf(lab));
  const processor = values.get("processor" + suffixOf(lab));
  const what = block ? whatIsWritten(lab, block) : /^\d+$/.test(processor ?? "") ? { processor: Number(processor) } : null;
  lab.followed = whatFits(lab, what);
}

/* Adds what the lab has that the page did not begin with. */
function addLab(values, lab) {
  const suffix = suffixOf(lab);
  if (lab.followed?.block) values.set("block" + suffix, lab.followed.block);
  else if (lab.followed) values.set("processor" + suffix, lab.followed.processor);
  for (const name of settingNames) if (lab.part(name).value.trim() !== lab.begunWith[name]) values.set(name + suffix, lab.part(name).value.trim());
  if (lab.packed) values.set("text" + suffix, lab.packed);
}

/* The address of what is shown. */
function addressOf(parts) {
  const values = new URLSearchParams({ step: parts.step });
  if (parts.loop) values.set("loop", parts.loop.join("-"));
  if (parts.theme) values.set("theme", parts.theme);
  if (parts.wide) values.set("wide", "");
  if (parts.lecture) values.set("lecture", "");
  for (const [name, value] of Object.entries(parts.machine)) values.set(name, value);
  for (const lab of parts.labs) addLab(values, lab);
  return "#" + values;
}

/* A page within another one, as srcdoc, has no address of its own. */
function putAddress(address) {
  try {
    history.replaceState(null, "", address);
  } catch {
    return;
  }
}

/* Puts text on the clipboard; a page that is neither a local file nor served over https can copy only through a selection. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make("textarea", { value: text });
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}
