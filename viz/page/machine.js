/* The machine's sliders and the time that model hockney predicts. */

const knobs = [
  { key: "latency_s", section: "link", name: "Latency", least: -9, most: -2, words: secondsText },
  { key: "bandwidth_bytes_per_s", section: "link", name: "Bandwidth", least: 6, most: 13, words: (x) => `${bytesText(x)}/s` },
  { key: "flops_per_s", section: "processor", name: "Flop rate", least: 6, most: 16, words: (x) => `${Number((x / 1e9).toPrecision(4))} Gflop/s` },
];

class Machine {
  constructor(setup, changed) {
    this.text = setup.machine;
    this.size = { ...setup.size };
    this.bytes = setup.element_bytes;
    this.changed = changed;
    this.name = /^\s*name\s*=\s*(.*?)\s*(?:#.*)?$/m.exec(this.text)?.[1] ?? "";
    this.value = Object.fromEntries(knobs.map((knob) => [knob.key, this.read(knob)]));
  }

  read(knob) {
    const found = new RegExp(`^\\s*${knob.key}\\s*=\\s*([^\\s#]+)`, "m").exec(this.text);
    return found ? Number(found[1]) : 1;
  }

  /* The file with the sliders' numbers in it; a rate that is not moved stays as it is written. */
  machineText() {
    let text = this.text;
    for (const knob of knobs) {
      if (this.value[knob.key] === this.read(knob)) continue;
      text = text.replace(new RegExp(`^(\\s*${knob.key}\\s*=\\s*)[^\\s#]+`, "m"), `$1${this.value[knob.key]}`);
    }
    return text;
  }

  sliders() {
    const box = [make("p", {}, this.name ? `Machine: ${this.name}.` : "")];
    const slider = (name, least, most, value, words, set) => {
      const output = make("output", {}, words(value));
      const input = make("input", { type: "range", min: least, max: most, step: "0.01", value: Math.log10(value), "aria-label": name, "aria-valuetext": words(value) });
      input.addEventListener("input", () => {
        const to = Number((10 ** Number(input.value)).toPrecision(3));
        set(to);
        output.textContent = words(to);
        input.setAttribute("aria-valuetext", words(to));
        this.changed();
      });
      return make("label", {}, make("span", {}, name), input, output);
    };
    const size = (n) => `n = ${Math.round(n).toLocaleString("en")}`;
    box.push(slider("Size", 0.3, 5, this.size.n, size, (to) => { this.size = { m: Math.round(to), n: Math.round(to), k: Math.round(to) }; }));
    for (const knob of knobs)
      box.push(slider(knob.name, knob.least, knob.most, Math.max(this.value[knob.key], 1e-9), knob.words, (to) => { this.value[knob.key] = to; }));
    return box;
  }

  predict(lab) {
    if (!lab.handle || lab.facts.processors > 4096) return null;
    return lab.core.timeOf(lab.handle, this.size.m, this.size.n, this.size.k, this.bytes, this.machineText());
  }

  show(lab) {
    const box = lab.part("times");
    if (lab.number === 0 && lab.part("sliders").childElementCount === 0) lab.part("sliders").append(...this.sliders());
    lab.cost = this.predict(lab);
    if (!lab.cost || lab.cost.error) {
      box.replaceChildren(make("p", {}, lab.cost ? lab.cost.error.message : "Not predicted here: the grid is large; use topogemm sim."));
      return;
    }
    this.showAt(lab);
  }

  showAt(lab) {
    const cost = lab.cost;
    if (!cost || cost.error || !lab.now) return;
    const done = cost.step.slice(0, lab.now.step);
    const total = (column) => done.reduce((sum, step) => sum + step[column], 0);
    const end = done.reduce((most, step) => Math.max(most, step[1]), 0);
    const rows = [
      ["Time", secondsText(end), secondsText(cost.time_s)],
      ["Messages", total(2).toLocaleString("en"), cost.messages.toLocaleString("en")],
      ["Bytes", bytesText(total(3)), bytesText(cost.bytes)],
      ["Bytes × hops", bytesText(total(4)), bytesText(cost.hop_bytes)],
    ];
    const share = `Of the processor that ends last: ${secondsText(cost.compute_s)} multiplying, ${secondsText(cost.communication_s)} communicating.`;
    lab.part("times").replaceChildren(tableOf(["", "to the end of this step", "all steps"], rows), make("p", { "data-time": cost.time_s }, share));
  }
}
