import { format } from 'node:util'

/** Told of each line that passes between us and the relay: `> ` ours, `< ` the relay's, `* ` what happened around it. */
export type DialogueListener = (line: string) => void

const LINES = 100
const LINE_LENGTH = 500

/** Gathers a dialogue to be kept: at most 100 lines of 500 characters. */
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
 * What nodemailer takes for a log; hears the dialogue in it, without the mail itself and without what proves who we
 * are. `mask` takes out what else is secret.
 */
export function dialogueLog(
  listen: DialogueListener,
  mask: (line: string) => string,
): Record<'debug' | 'info', LogLine> {
  let authenticates = false

  function hear({ tnx, outByteCount }: Entry, said: string): void {
    if (tnx === 'client') listen(`> ${maskOurs(said)}`)
    else if (tnx === 'server') for (const line of said.split(/\r?\n/)) listen(`< ${maskTheirs(line)}`)
    else if (tnx === 'network') listen(`* ${said}`)
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

  const log: LogLine = (entry, message, ...values) => hear(entry, format(message, ...values))
  return { debug: log, info: log }
}
