import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bullets, fact, join, lines, link, type MarkdownValue, md } from '../markdown.ts'

const text = z.string().nullish()

/** The maximum number of answers that a message shows. */
const MAX_ANSWERS = 50

/** The maximum length of all questions and answers together, which anyone can write who opens the form. */
const MAX_LENGTH = 10_000

/** An answer as `pretty` has it, and as the message shows it. */
type Answer = { text: string; shown: MarkdownValue }

const isUpload = (value: unknown): value is string =>
  typeof value === 'string' && /^https:\/\/(?:www\.|\w+\.)?jotform\.com\/uploads\//.test(value)

/** Returns the answers of the raw request: texts, choices, values of several fields, and the files that were uploaded. */
function rawAnswers(raw: string | null | undefined): Answer[] {
  return Object.entries(readRaw(raw))
    .map(([name, value]): Answer => {
      const values = (typeof value === 'object' && value !== null ? Object.values(value) : [value]) as unknown[]
      const uploads = values.filter(isUpload).slice(0, MAX_ANSWERS)
      if (uploads.length > 0) {
        const names = uploads.map(decodeName)
        return {
          text: names.join(' '),
          shown: join(
            uploads.map((url, at) => link(names[at], url)),
            ', ',
          ),
        }
      }
      const text = /^q\d/.test(name) ? values.filter((one) => typeof one === 'string' && one !== '').join(' ') : ''
      return { text, shown: text }
    })
    .filter(({ text }) => text !== '')
    .slice(0, MAX_ANSWERS)
}

function readRaw(raw: string | null | undefined): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(raw ?? '{}')).data ?? {}
  } catch {
    return {}
  }
}

/**
 * Returns the questions with their answers, of `Name:Ada Lovelace, Email:ada@example.com`. Where a question or an answer
 * contains a colon or a comma, the answers of the raw request show where it ends.
 */
function answersOf(given: string, answers: readonly Answer[]): MarkdownValue[] {
  const pretty = given.slice(0, MAX_LENGTH)
  const facts: MarkdownValue[] = []
  for (let at = 0; at < pretty.length && facts.length < MAX_ANSWERS; ) {
    const known = findKnown(pretty, at, answers)
    const length = known?.length ?? pretty.slice(at).search(/, (?=[^,:]{1,200}:)|$/)
    const answer = pretty.slice(at, at + length)
    const colon = known?.colon ?? Math.max(0, answer.indexOf(':'))
    facts.push(fact(answer.slice(0, colon), known?.shown ?? answer.slice(colon + 1)))
    at += length + 2
  }
  return facts
}

/** Returns the next question whose answer is known: where its colon is, and how long both are; undefined if none is. */
function findKnown(pretty: string, from: number, answers: readonly Answer[]) {
  return answers
    .map(({ text, shown }) => {
      const colon = `${pretty}, `.indexOf(`:${text}, `, from) - from
      return { shown, colon, length: colon + 1 + text.length }
    })
    .filter(
      // Another answer may stand between, which the raw request has in another form.
      ({ colon }) => colon > 0 && !hasAnswer(pretty.slice(from, from + colon)),
    )
    .toSorted((one, other) => one.colon - other.colon || other.length - one.length)[0]
}

/** Returns whether the text contains a whole answer: a colon without a space behind it, and a comma after that. */
function hasAnswer(text: string): boolean {
  const colon = text.search(/:\S/)
  return colon !== -1 && text.indexOf(', ', colon + 2) !== -1
}

function decodeName(url: string): string {
  const name = url.split('/').at(-1) ?? 'file'
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

export const jotform = integration({
  name: 'jotform',
  title: 'Jotform',
  category: 'Marketing',
  summary: 'Answers to forms',
  logo: { letter: 'J', color: '#ff6100' },
  steps: [
    'In Jotform, open your form, then **Settings**, **Integrations**, and choose **WebHooks**.',
    'Paste the URL, and click **Complete Integration**.',
  ],
  sample: {
    payload: {
      formTitle: 'Order a map',
      pretty: 'Name:Ada, Scale:1:25000',
      rawRequest: '{}',
      formID: '42',
      submissionID: '1',
    },
  },
  isForm: true,
  handle: on(z.object({ formTitle: z.string(), submissionID: text, pretty: text, rawRequest: text }), (payload) => ({
    topic: payload.formTitle,
    content: lines(
      md`There is a new submission${payload.submissionID && md` (${payload.submissionID})`}:`,
      bullets(answersOf(payload.pretty ?? '', rawAnswers(payload.rawRequest))),
    ),
  })),
})
