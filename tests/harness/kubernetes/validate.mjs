// Validates the Kubernetes objects on stdin, a JSON array, against their schemas, and prints a JSON array of
// complaints. The schemas' validators know values; that a field is unknown, only the schemas' types tell.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";

function model({ apiVersion, kind }) {
  const operator = apiVersion.startsWith("monitoring.coreos.com/");
  return `${operator ? "@kubernetes-models/prometheus-operator" : "kubernetes-models"}/${apiVersion}/${kind}`;
}

async function valueComplaints(object) {
  const module = await import(model(object));
  try {
    new module[object.kind](object).validate();
    return [];
  } catch (error) {
    return [`${object.kind} ${object.metadata?.name}: ${error.message}`];
  }
}

function fieldComplaints(objects) {
  const folder = mkdtempSync("objects-");  // here, so that the packages are found
  const lines = objects.map((object, index) =>
    `export const object${index}: import("${model(object)}").I${object.kind} = ${JSON.stringify(object)};`);
  writeFileSync(`${folder}/objects.ts`, lines.join("\n"));
  const compiled = spawnSync("node_modules/.bin/tsc", ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022",
    "--module", "nodenext", `${folder}/objects.ts`], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  const output = compiled.stdout + compiled.stderr;
  if (compiled.status === 0) return [];
  const named = output.split("\n").filter((line) => line.includes("error TS"))
    .map((line) => line.replace(/^.*objects\.ts\((\d+),\d+\): error (TS\d+): /, (_, row) => {
      const object = objects[row - 1];
      return `${object.kind} ${object.metadata?.name}: `;
    }));
  return named.length > 0 ? named : [`tsc: ${output} ${compiled.error ?? ""}`];
}

const objects = JSON.parse(readFileSync(0, "utf8"));
const complaints = (await Promise.all(objects.map(valueComplaints))).flat();
console.log(JSON.stringify([...complaints, ...fieldComplaints(objects)]));
