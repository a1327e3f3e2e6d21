/* Runs cases one after another and writes what came of them as TAP. */
export class Skipped extends Error {}

export async function runCases(cases) {
  let failed = 0;
  console.log(`1..${cases.length}`);
  for (const [i, [name, run]] of cases.entries()) {
    const begun = performance.now();
    try {
      await run();
      console.log(`ok ${i + 1} ${name} # ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    } catch (error) {
      if (error instanceof Skipped) {
        console.log(`ok ${i + 1} ${name} # SKIP ${error.message}`);
        continue;
      }
      failed++;
      console.log(`not ok ${i + 1} ${name}\n${String(error.stack).replace(/^/gm, "# ")}`);
    }
  }
  process.exitCode = failed ? 1 : 0;
}
