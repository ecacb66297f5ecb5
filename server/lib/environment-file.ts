import { readFileSync } from 'node:fs'
import { OperatorError } from './errors.ts'

// A file of environment variables, read as systemd reads an `EnvironmentFile`, so that the service and the commands of
// an installation share one file. Unlike in shells and in Node.js, a `#` within a value belongs to it, and nothing is
// expanded.

/** A line: blank, a comment, or `NAME=value`, whose value may be in quotes and then have several lines. */
const LINE =
  /[ \t]*(?:[#;][^\n]*|(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|((?!['"])(?:\\[\s\S]|[^\\\n])*)))?[ \t]*(?:\n|$)/y

/** Returns the variables of the text; throws an `OperatorError` with the numbers of all lines that are none. */
export function parseEnvironmentFile(text: string, name: string): Map<string, string> {
  const variables = new Map<string, string>()
  const faulty: number[] = []
  const lines = text.replaceAll('\r\n', '\n')
  LINE.lastIndex = 0
  while (LINE.lastIndex < lines.length) {
    const start = LINE.lastIndex
    const found = LINE.exec(lines)
    if (found === null) {
      faulty.push(lines.slice(0, start).split('\n').length)
      const end = lines.indexOf('\n', start)
      LINE.lastIndex = end === -1 ? lines.length : end + 1
      continue
    }
    const [, variable, literal, quoted, plain] = found
    if (variable === undefined) continue
    variables.set(
      variable,
      literal ?? unescaped(quoted, /\\(["\\$`\n])/g) ?? unescaped(plain?.trim(), /\\([\s\S])/g) ?? '',
    )
  }
  if (faulty.length > 0)
    throw new OperatorError(
      `${name}, ${faulty.length === 1 ? 'line' : 'lines'} ${faulty.join(', ')}: must be NAME=value, or a comment that begins with #; nothing may follow a value in quotes`,
    )
  return variables
}

/** A backslash keeps the next character as it is, and joins two lines. */
const unescaped = (text: string | undefined, escaped: RegExp) =>
  text?.replace(escaped, (_, next: string) => (next === '\n' ? '' : next))

/** Reads the file; throws an `OperatorError` if it cannot be read. */
export function readEnvironmentFile(file: string): Map<string, string> {
  try {
    return parseEnvironmentFile(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code } = error as NodeJS.ErrnoException
    const advice =
      code === 'EACCES'
        ? 'Only its owner and group may read it: run the command as root, or as the account of the service.'
        : 'Check PARLEY_ENV_FILE or --settings-file.'
    throw new OperatorError(`The file of settings ${file} cannot be read (${code}). ${advice}`)
  }
}
