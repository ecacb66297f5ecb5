import path from 'node:path'
import { readSources, type Sources } from './source-files.ts'

/** The first words of a comment that has no subject: "What the server sends", "Whether it is open". */
const HEADLESS = /^(?:What(?:ever)?|Whether|Whoever|Whom?|Whose|Those|How (?:far|many|much|long|often))\b/

/** A comment that begins on this line: after `//` or `/**`, or in the first line below `/**`. */
const COMMENT_START = /(?:^|\s)(?:\/\/|\/\*\*)\s+(.*)$/

/** Retired names, and their replacements. The glossary in ARCHITECTURE.md has the names in use. */
const RETIRED: readonly [pattern: RegExp, instead: string][] = [
  [/\b(?:tell|told|tells)[A-Z]\w*/, 'emit… for events, notify… for messages to people'],
  [/\b\w*(?:[hH]earers?|[oO]nlookers?|[aA]cquaintances?)\b/, 'audience, recipients or visibleUsers'],
  [/\b\w*[kK]eeper\b/, 'QueueRegistry, or the name of what it holds'],
  [/\b\w*[wW]aiters?\b/, 'PendingPoll'],
  [/\b(?:spot|place)Of\b|\bkeepPlace\b|\bSpot\b/, 'ConversationRef and conversationOf, or the word of the field'],
  [/\bStanding\b/, 'SubscriptionStatus, AddressStatus or ParseContext'],
  [/\b(?:stationery|LetterWriters?|letterWriters?)\b/, 'email template'],
  [/\b(?:[cC]ourier|[sS]weeper|[rR]erenderer)s?\b/, 'job'],
  [/\b(?:MOST|LEAST|LONGEST|SHORTEST|FEWEST|FEW)_[A-Z_]+/, 'MAX_… or MIN_…'],
]

const STRINGS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** Returns the comments of a source by their line, counted from 1: the text of their first line. */
function commentsOf(source: string): [line: number, text: string][] {
  const lines = source.split('\n')
  return lines.flatMap((line, index): [number, string][] => {
    if (/^\s*\/\*\*\s*$/.test(line)) return [[index + 2, (lines[index + 1] ?? '').replace(/^\s*\*\s?/, '')]]
    // Consecutive `//` lines are one comment.
    if (/^\s*\/\//.test(line) && /^\s*\/\//.test(lines[index - 1] ?? '')) return []
    const text = COMMENT_START.exec(line)?.[1]
    return text === undefined ? [] : [[index + 1, text]]
  })
}

/** Returns the problems with comments and names in these files, one line each. */
export function checkWording(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    // Line breaks are kept, so that line numbers stay the same.
    const withoutStrings = source.replace(STRINGS, (text) => `''${text.replace(/[^\n]/g, '')}`)
    const headless = commentsOf(withoutStrings).flatMap(([line, text]) =>
      HEADLESS.test(text) ? [`${file}:${line} begins without a subject: ${text}`] : [],
    )
    const retired = withoutStrings.split('\n').flatMap((line, index) =>
      RETIRED.flatMap(([pattern, instead]) => {
        const name = pattern.exec(line)?.[0]
        return name === undefined ? [] : [`${file}:${index + 1} has the name ${name}. Use ${instead}.`]
      }),
    )
    return [...headless, ...retired]
  })
}

if (import.meta.main) {
  const sources = await readSources(path.dirname(import.meta.dirname))
  // This file lists the names that it refuses.
  const problems = checkWording(new Map([...sources].filter(([file]) => !file.startsWith('tools/check-wording'))))
  if (problems.length > 0) console.log(`${problems.join('\n')}\n\nCONTRIBUTING.md describes names and comments.`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
