/* The machine's sliders and the time that model hockney predicts. */

const knobs = [
  { key: "latency_s", section: "link", name: "Latency", least: -9, most: -2, words: secondsText },
  { key: "bandwidth_bytes_per_s", section: "link", name: "Bandwidth", least: 6, most: 13, words: (x) => `${bytesText(x)}/s` },
  { key: "flops_per_s", section: "processor", name: "Flop rate", least: 6, most: 16, words: (x) => `${Number((x / 1e9).toPrecision(4))} Gflop/s` },
];

class Machine {
  /* `values` are those of the address. */
  constructor(setup, values, changed) {
    this.text = setup.machine;
    this.begun = setup.size;
    this.size = { ...setup.size };
    this.bytes = setup.element_bytes;
    this.changed = changed;
    this.name = /^\s*name\s*=\s*(.*?)\s*(?:#.*)?$/m.exec(this.text)?.[1] ?? "";
    this.value = Object.fromEntries(knobs.map((knob) => [knob.key, this.read(knob)]));
    const positive = (name) => Number(values.get(name)) > 0 && Number(values.get(name));
    if (positive("n") <= 1e6 && positive("n")) this.size = this.sizeAt(positive("n"));
    for (const { key } of knobs) if (this.value[key] !== null && positive(key)) this.value[key] = positive(key);
  }

  /* In the proportions that the page began with. */
  sizeAt(to) {
    const { m, n, k } = this.begun;
    return { m: Math.max(1, Math.round((m / n) * to)), n: Math.round(to), k: Math.max(1, Math.round((k / n) * to)) };
  }

  /* For the address: what the sliders were moved to. */
  changes() {
    const changed = this.size.n === this.begun.n ? {} : { n: this.size.n };
    for (const knob of knobs) if (this.value[knob.key] !== this.read(knob)) changed[knob.key] = this.value[knob.key];
    return changed;
  }

  /* The file's number; null where its section has none. */
  read(knob) {
    const found = new RegExp(`^\\s*${knob.key}\\s*=\\s*([^\\s#]+)`, "m").exec(this.sectionOf(this.text, knob.section)?.[0] ?? "");
    return found ? (found[1] === "inf" ? Infinity : Number(found[1])) : null;
  }

  /* From the section's head up to the next one's. */
  sectionOf(text, section) {
    return new RegExp(`^\\s*\\[\\s*${section}\\s*\\][^]*?(?=^\\s*\\[|(?![^]))`, "m").exec(text);
  }

  /* The file with the sliders' numbers in it; a rate that is not moved stays as it is written. */
  machineText() {
    let text = this.text;
    for (const knob of knobs) {
      if (this.value[knob.key] === null || this.value[knob.key] === this.read(knob)) continue;
      const found = this.sectionOf(text, knob.section);
      const changed = found[0].replace(new RegExp(`^(\\s*${knob.key}\\s*=\\s*)[^\\s#]+`, "m"), `$1${this.value[knob.key]}`);
      text = text.slice(0, found.index) + changed + text.slice(found.index + found[0].length);
    }
    return text;
  }

  sliders() {
    const box = [make("p", {}, this.name ? `Machine: ${this.name}.` : "")];
    const slider = (name, least, most, value, say, set) => {
      const words = (x) => (x === Infinity ? "without limit" : say(x));
      const output = make("output", {}, words(value));
      const input = make("input", { type: "range", min: least, max: most, step: "0.01", value: Math.log10(Math.min(Math.max(value, 1e-9), 10 ** most)), "aria-label": name, "aria-valuetext": words(value) });
      input.addEventListener("input", () => {
        const to = Number((10 ** Number(input.value)).toPrecision(3));
        set(to);
        output.textContent = words(to);
        input.setAttribute("aria-valuetext", words(to));
        this.changed();
      });
      return make("label", {}, make("span", {}, name), input, output);
    };
    const { m, n, k } = this.begun;
    const sizeText = (to) => {
      const at = this.sizeAt(to);
      return m === n && n === k ? `n = ${at.n.toLocaleString("en")}` : `${at.m}×${at.n}×${at.k}`;
    };
    box.push(slider("Size", 0.3, 5, this.size.n, sizeText, (to) => { this.size = this.sizeAt(to); }));
    for (const knob of knobs) {
      const value = this.value[knob.key];
      if (value === null) box.push(make("p", {}, `${knob.name}: by size, as the machine's file says.`));
      else box.push(slider(knob.name, knob.least, knob.most, value, knob.words, (to) => { this.value[knob.key] = to; }));
    }
    return box;
  }

  /* Gives the time to `take`, at once or later. Null where it is not predicted. */
  predict(lab, take) {
    const words = [this.size.m, this.size.n, this.size.k, this.bytes, this.machineText()];
    if (lab.error) take({ error: { message: "Not predicted: the schedule or a setting has an error." } });
    else if (!lab.handle || lab.facts.processors > 4096) take(null);
    else if (lab.proof && !lab.proof.ok) take({ error: { message: "Not predicted: the schedule is wrong." } });
    else if (!lab.takesLong) take(lab.core.timeOf(lab.handle, ...words));
    else if (lab.proof) this.predictLater(lab, words, take);
    else take({ error: { message: lab.proving ? "The time is predicted after the proof." : "Not predicted: the proof was cancelled." } });
  }

  /* While the worker is busy, only the latest request is kept. */
  predictLater(lab, words, take) {
    lab.asked = { words, take };
    if (lab.questions.takers.size > 0) return;
    const next = () => {
      const { asked } = lab;
      lab.asked = null;
      lab.questions.ask("timeOf", asked.words, (cost) => {
        if (lab.asked) next();
        else asked.take(cost);
      });
    };
    next();
  }

  show(lab) {
    const box = lab.part("times");
    if (lab.number === 0 && lab.part("sliders").childElementCount === 0) lab.part("sliders").append(...this.sliders());
    this.predict(lab, (cost) => {
      lab.cost = cost;
      if (!cost || cost.error) box.replaceChildren(make("p", {}, cost ? cost.error.message : "Not predicted here: the grid is large; use topogemm sim."));
      else this.showAt(lab);
    });
  }

  showAt(lab) {
    const cost = lab.cost;
    if (!cost || cost.error || !lab.now) return;
    const done = cost.step.slice(0, lab.now.step);
    const total = (column) => done.reduce((sum, step) => sum + step[column], 0);
    const end = done.reduce((most, step) => Math.max(most, step[1]), 0);
    const rows = [
      ["Time", secondsText(end), secondsText(cost.time_s)],
      ["Messages, of one or more blocks", total(2).toLocaleString("en"), cost.messages.toLocaleString("en")],
      ["Bytes", bytesText(total(3)), bytesText(cost.bytes)],
      ["Bytes × hops", bytesText(total(4)), bytesText(cost.hop_bytes)],
    ];
    const parts = Object.keys(cost.parts).filter((key) => cost.parts[key] > 0);
    const partRows = parts.map((key) => [`… ${key.replace("_s", "")}`, secondsText(done.reduce((sum, step) => sum + step[5][key], 0)), secondsText(cost.parts[key])]);
    rows.splice(1, 0, ...partRows);
    const note = "The parts are those of the processor that finishes last. Time hidden behind other work is not counted.";
    lab.part("times").replaceChildren(tableOf(["", "to the end of this step", "all steps"], rows), make("p", { "data-time": cost.time_s }, note));
  }
}
