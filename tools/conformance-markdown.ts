// Compares renderings with those that clients of the protocol expect: `npm run -s conformance:markdown`.
import { markdownCasesAbsent, readMarkdownCases, renderCase } from '../test/markdown/markdown-cases.ts'

if (markdownCasesAbsent) {
  process.stdout.write(`skipped: ${markdownCasesAbsent}\n`)
} else {
  const cases = readMarkdownCases()
  const unmet = cases.filter((each) => renderCase(each) !== each.expected)
  for (const { name, input, expected } of unmet) {
    process.stdout.write(`✖ ${name}\n  text      ${JSON.stringify(input)}\n  expected  ${JSON.stringify(expected)}\n`)
  }
  process.stdout.write(`${cases.length - unmet.length}/${cases.length} cases match byte for byte\n`)
  process.exitCode = unmet.length === 0 ? 0 : 1
}
