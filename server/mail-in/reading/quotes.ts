// The parts of an email that its sender did not write for it: the email that it answers, and the signature. Mail
// programs mark them differently, and in the language of their user. Everything takes time linear in the length.

/** The words of mail programs in German, English, French, Spanish, Italian, Portuguese, Dutch, Swedish and Polish. */
const FROM = /^[*_]{0,2}(?:from|von|de|da|van|från|fra|od)\s?:[*_]{0,2}\s/i
const OTHER_FIELD =
  /^[*_]{0,2}(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|fecha|para|asunto|inviato|data|a|oggetto|assunto|verzonden|aan|onderwerp|skickat|till|ämne|wysłano|do|temat)\s?:/i
const ORIGINAL =
  /^-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|message transféré|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|ursprungligt meddelande|oryginalna wiadomość) ?-{2,}$/i
const WROTE =
  /(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napisał|napisała)(?:[^\n]{0,100})?\s?:\*{0,2}$/i
/** The first words of a line that introduces a quote. */
const BEGINNING = /^(?:on|am|le|el|il|em|op|den|w dniu) /i
const MOBILE_SIGNATURE =
  /^(?:sent (?:from|via|with) |get outlook for |von meinem .{1,60} gesendet|gesendet (?:von|mit) |envoyé (?:de|depuis) |enviado (?:desde|do) |inviato da |verzonden (?:vanaf|met) |skickat från |wysłane z )/i

/** The number of lines in which the header of a quoted email must have its fields. */
const FIELD_LINES = 5

/** The number of lines over which a line such as "On Monday, Ada wrote:" may be broken. */
const ATTRIBUTION_LINES = 3

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ''
const isQuoted = (line: string | undefined) => line?.startsWith('>') === true

/**
 * Returns the text without the email that it answers. Quotes between the lines of an answer stay, because the answer
 * cannot be understood without them; and so does everything if nothing else is there.
 */
export function withoutQuotes(text: string): string {
  const lines = text.split('\n')
  const kept = withoutOuterQuotes(lines.slice(0, startOfOriginal(lines)))
  const answer = kept.join('\n').trim()
  return answer === '' ? text.trim() : answer
}

/** Returns the index of the line from which on the text is the original email, as Outlook appends it. */
function startOfOriginal(lines: readonly string[]): number {
  const at = lines.findIndex((line, index) => {
    const trimmed = line.trim()
    return ORIGINAL.test(trimmed) || (FROM.test(trimmed) && hasFields(lines, index + 1))
  })
  if (at === -1) return lines.length
  // A rule often precedes the header.
  let start = at
  while (start > 0 && isBlank(lines[start - 1])) start -= 1
  return start > 0 && /^_{10,}$|^-{10,}$/.test((lines[start - 1] ?? '').trim()) ? start - 1 : at
}

function hasFields(lines: readonly string[], from: number): boolean {
  const following = lines.slice(from, from + FIELD_LINES)
  return following.filter((line) => OTHER_FIELD.test(line.trim())).length >= 2
}

/** Removes the quote before the first and after the last line of the answer, with the line that introduces it. */
function withoutOuterQuotes(lines: readonly string[]): readonly string[] {
  let end = skipBack(lines, lines.length, isBlank)
  const endOfAnswer = skipBack(lines, end, (line) => isQuoted(line) || isBlank(line))
  // Without its quote, the introduction is left over where a mail program marks the quote in HTML.
  if (endOfAnswer < end) end = endOfAnswer
  end -= attributionBefore(lines, end)

  let start = 0
  while (start < end && isBlank(lines[start])) start += 1
  const introduction = attributionFrom(lines, start)
  let quoteEnd = start + introduction
  while (quoteEnd < end && (isQuoted(lines[quoteEnd]) || isBlank(lines[quoteEnd]))) quoteEnd += 1
  const beginsWithQuote = isQuoted(lines[start]) || (introduction > 0 && isQuoted(lines[start + introduction]))
  return lines.slice(beginsWithQuote ? quoteEnd : start, end)
}

function skipBack(lines: readonly string[], from: number, skips: (line: string | undefined) => boolean): number {
  let end = from
  while (end > 0 && skips(lines[end - 1])) end -= 1
  return end
}

/** Returns the number of lines before `end` that introduce a quote; 0 if none do. */
function attributionBefore(lines: readonly string[], end: number): number {
  let found = 0
  for (let count = 1; count <= ATTRIBUTION_LINES && count <= end; count += 1) {
    const joined = lines.slice(end - count, end)
    if (joined.some(isBlank)) break
    const isFirst = found === 0 || BEGINNING.test(joined[0] ?? '')
    if (isFirst && isAttribution(joined.join(' '))) found = count
  }
  return found
}

function attributionFrom(lines: readonly string[], start: number): number {
  for (let count = 1; count <= ATTRIBUTION_LINES; count += 1) {
    const joined = lines.slice(start, start + count)
    if (joined.length < count || joined.some(isBlank)) return 0
    if (isAttribution(joined.join(' '))) return count
  }
  return 0
}

/** A line such as "On 29 November 2026 at 10:00, Ada Lovelace <ada@example.com> wrote:". It has a date or an address. */
const isAttribution = (line: string): boolean =>
  line.length < 400 && WROTE.test(line.trim()) && (/\d{1,2}[:.]\d{2}|\d{4}|@/.test(line) || BEGINNING.test(line))

/**
 * Returns the text without the signature: what follows the only line `--`, or a last line such as "Sent from my phone".
 */
export function withoutSignature(text: string): string {
  const lines = text.split('\n')
  const delimiters = lines.flatMap((line, index) => (line.trimEnd() === '--' ? [index] : []))
  const end = delimiters.length === 1 && delimiters[0] !== 0 ? (delimiters[0] as number) : lines.length
  const last = skipBack(lines, end, isBlank)
  const isMobile = last > 1 && MOBILE_SIGNATURE.test(lines[last - 1] ?? '')
  const kept = lines
    .slice(0, isMobile ? last - 1 : end)
    .join('\n')
    .trim()
  return kept === '' ? text.trim() : kept
}
