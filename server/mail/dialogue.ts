import { format } from 'node:util'

/**
 * Receives each line of an SMTP session. Lines of this server start with `> `, lines of the relay with `< `, and
 * connection events with `* `.
 */
export type DialogueListener = (line: string) => void

const LINES = 100
const LINE_LENGTH = 500

/** Records a session: at most 100 lines of 500 characters. */
export function recordDialogue(): { listen: DialogueListener; text(): string | null } {
  const lines: string[] = []
  return {
    listen(line) {
      if (lines.length < LINES) lines.push(line.slice(0, LINE_LENGTH))
    },
    text: () => (lines.length === 0 ? null : lines.join('\n')),
  }
}

type Entry = { tnx?: string; outByteCount?: number }
type LogLine = (entry: Entry, message: string, ...values: unknown[]) => void

/**
 * Returns a logger for nodemailer that passes on the session without the email itself and without the credentials. `mask`
 * removes other secrets.
 */
export function dialogueLog(
  listen: DialogueListener,
  mask: (line: string) => string,
): Record<'debug' | 'info', LogLine> {
  let authenticates = false

  function passOn({ tnx, outByteCount }: Entry, text: string): void {
    if (tnx === 'client') listen(`> ${maskOurs(text)}`)
    else if (tnx === 'server') for (const line of text.split(/\r?\n/)) listen(`< ${maskTheirs(line)}`)
    else if (tnx === 'network') listen(`* ${text}`)
    else if (outByteCount !== undefined) listen(`> (the mail: ${outByteCount} bytes)`)
  }

  function maskOurs(line: string): string {
    const [verb, method] = line.split(' ')
    if (verb?.toUpperCase() === 'AUTH') {
      authenticates = true
      return `AUTH ${method} ***`
    }
    return authenticates ? '***' : line
  }

  function maskTheirs(line: string): string {
    if (!line.startsWith('334')) authenticates = false
    return mask(line)
  }

  const log: LogLine = (entry, message, ...values) => passOn(entry, format(message, ...values))
  return { debug: log, info: log }
}
