/* Grids so large that a step takes long: a worker with a module of its own makes the step that is asked for, and then the
 * next one before it is. */

const STEPS_KEPT = 6; /* in the page, of a few megabytes each */

/* What is kept of the steps, the oldest going first: the page and the worker keep the same. */
function keepStep(kept, key, value) {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > STEPS_KEPT) kept.delete(kept.keys().next().value);
}

/* Runs in the worker. */
function serveSteps() {
  let starting;
  let core;
  let opened = { lab: 0 };
  let generation = 0;
  let wanted = null;
  let working = false;
  let sent = new Map();
  let known = new Map(); /* facts of steps */
  let at = -1; /* the step that the module is at */

  /* Of a step, walking there; one at a time, so that what comes meanwhile can end it: then undefined. */
  const factsAt = async (asked, isWanted) => {
    const step = Math.min(asked, opened.facts.last);
    if (step <= at && !known.has(step)) at = -1; /* starts again */
    while (at < step && !known.has(step)) {
      const facts = core.step(opened.lab, ++at, false);
      if (facts.error) return facts;
      keepStep(known, at, facts);
      opened.facts.last = facts.last;
      if (facts.step < at) return facts; /* it ends here */
      await new Promise((done) => setTimeout(done));
      if (!isWanted()) return undefined;
    }
    return known.get(step);
  };
  const make = async (step, what) => {
    const mine = generation;
    const facts = await factsAt(step, () => generation === mine && (wanted?.step === step || wanted?.step + 1 === step));
    if (!facts || generation !== mine) return;
    const values = facts.error ? new Float32Array(0) : core.values(opened.lab, facts.step, what, opened.facts.processors);
    keepStep(sent, `${step} ${what}`, true);
    postMessage({ generation, step, what, facts, values }, [values.buffer]);
  };
  const work = async () => {
    if (working) return;
    working = true;
    for (;;) {
      if (!wanted) break;
      const lacks = (step) => !sent.has(`${step} ${wanted.what}`);
      if (lacks(wanted.step)) await make(wanted.step, wanted.what);
      else if (wanted.step < opened.facts.last && lacks(wanted.step + 1)) await make(wanted.step + 1, wanted.what);
      else break;
      await new Promise((done) => setTimeout(done)); /* what came meanwhile */
    }
    working = false;
  };
  onmessage = async ({ data }) => {
    if (data.core) starting = startCore(data.core);
    core = await starting;
    if (data.open) {
      if (opened.lab) core.shut(opened.lab);
      opened = core.open(data.open.text, data.open.settings);
      generation = data.generation;
      sent = new Map();
      known = new Map();
      at = -1;
      wanted = null;
    }
    if (!opened.lab || data.generation !== generation) return;
    if (data.holds) postMessage({ generation, asked: data.holds.asked, holds: core.holds(opened.lab, data.holds.step, data.holds.processor) });
    if (data.want) wanted = data.want;
    work();
  };
}

/* --- what takes long about a schedule ----------------------------------------------------------------------------- */

/* Runs in the worker: opens a schedule once, then proves it, or predicts its time. */
async function answerQuestions() {
  let starting;
  let opened;
  onmessage = async ({ data }) => {
    if (data.core) starting = startCore(data.core);
    const core = await starting;
    if (data.open) opened = core.open(data.open.text, data.open.settings);
    if (data.ask) postMessage({ number: data.number, answer: core[data.ask](opened.lab, ...data.words) });
  };
}

/* A worker with these functions, and the module's text. */
function workerOf(functions, last) {
  const text = `"use strict";\nconst STEPS_KEPT = ${STEPS_KEPT};\n${functions.map(String).join("\n")}\n${last}();\n`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  worker.postMessage({ core: document.getElementById("core").textContent });
  return worker;
}

/* The page's side of the worker. A new schedule terminates a busy worker, because its answers are no longer needed. */
class Questions {
  constructor() {
    this.number = 0;
    this.takers = new Map();
  }

  /* `failed` is called where the browser lets no worker run. */
  open(text, settings, failed) {
    if (this.takers.size > 0) this.end();
    this.worker ??= workerOf([unpack, system, startCore, answerQuestions], "answerQuestions");
    this.worker.onerror = failed;
    this.worker.onmessage = ({ data }) => {
      const take = this.takers.get(data.number);
      this.takers.delete(data.number);
      take(data.answer);
    };
    this.worker.postMessage({ open: { text, settings } });
  }

  /* Calls a function of the module with the opened lab and these words; `take` gets its answer. */
  ask(name, words, take) {
    this.takers.set(++this.number, take);
    this.worker.postMessage({ ask: name, words, number: this.number });
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
    this.takers.clear();
  }
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* The page's end of it. `arrived` is called when a step is there that was not when it was asked for, `failed` where the worker
 * does not run. */
class Ahead {
  constructor(arrived, failed) {
    this.arrived = arrived;
    this.kept = new Map();
    this.generation = 0;
    this.answers = new Map();
    this.asked = 0;
    this.worker = workerOf([unpack, system, startCore, keepStep, serveSteps], "serveSteps");
    this.worker.onerror = failed;
    this.worker.onmessage = ({ data }) => this.take(data);
  }

  open(text, settings) {
    this.generation++;
    this.kept.clear();
    this.answers.clear();
    this.missing = null;
    this.worker.postMessage({ generation: this.generation, open: { text, settings } });
  }

  /* The step with one number a processor, or undefined: it will arrive. */
  ask(step, what) {
    const got = this.kept.get(`${step} ${what}`);
    this.missing = got ? null : `${step} ${what}`;
    this.worker.postMessage({ generation: this.generation, want: { step, what } });
    return got;
  }

  holds(step, processor) {
    const asked = ++this.asked;
    this.worker.postMessage({ generation: this.generation, holds: { asked, step, processor } });
    return new Promise((done) => this.answers.set(asked, done));
  }

  take(data) {
    if (data.generation !== this.generation) return;
    if (data.holds) {
      this.answers.get(data.asked)(data.holds);
      this.answers.delete(data.asked);
      return;
    }
    const key = `${data.step} ${data.what}`;
    keepStep(this.kept, key, data);
    if (this.missing === key) this.arrived();
  }
}
