// One page in Chromium, moved by lines of JSON on stdin: {"call": NAME, ...}. Each gets one line as its answer:
// {"result": ...} or {"error": ...}.
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {createRequire} from 'node:module';
import {chromium} from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage();
const complaints = [], answers = [];
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
});
page.on('pageerror', (error) => complaints.push(String(error)));
page.on('response', (answer) => answers.push([answer.url(), answer.status()]));

const calls = {
  // The status; null: no new page was loaded, or one that has none.
  goto: ({url}) => page.goto(url).then((answer) => answer?.status()),
  evaluate: ({expression}) => page.evaluate(expression),
  click: ({role, name}) => page.getByRole(role, {name, exact: true}).click(),
  // The middle of the first element that the selector finds.
  hover: ({selector}) => page.locator(selector).first().hover({force: true}),
  press: ({key}) => page.keyboard.press(key),
  resize: ({width, height}) => page.setViewportSize({width, height}),
  scheme: ({colors}) => page.emulateMedia({colorScheme: colors}),
  screenshot: ({path}) => page.screenshot({path, fullPage: true}).then(() => path),
  // What axe-core finds: [[rule, what is wrong, the elements], ...]
  axe: async () => {
    await page.evaluate(axe);
    const {violations} = await page.evaluate('axe.run(document, {resultTypes: ["violations"]})');
    return violations.map((one) => [one.id, one.help, one.nodes.map((node) => node.target.join(' '))]);
  },
  complaints: () => complaints.splice(0),
  answers: () => answers,
};

for await (const line of createInterface({input: process.stdin})) {
  const {call, ...rest} = JSON.parse(line);
  let answer;
  try {
    answer = {result: (await calls[call](rest)) ?? null};
  } catch (error) {
    answer = {error: String(error)};
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
