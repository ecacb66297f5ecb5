import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bullets, fact, lines, link, type MarkdownValue, md } from '../markdown.ts'

const text = z.string().nullish()

/** The maximum number of answers that a message shows. */
const MAX_ANSWERS = 50

/** Returns the questions with their answers, such as `Name:Ada Lovelace, Email:ada@example.com`. */
function answersOf(pretty: string): [string, string][] {
  return pretty
    .split(/, (?=[^,:]{1,200}:)/)
    .slice(0, MAX_ANSWERS)
    .map((answer) => {
      const at = answer.indexOf(':')
      return [answer.slice(0, at), answer.slice(at + 1)]
    })
}

/** Returns links to the files that were uploaded with the form. */
function filesOf(raw: string | null | undefined): MarkdownValue[] {
  try {
    const parsed = z.record(z.string(), z.unknown()).safeParse(JSON.parse(raw ?? '{}')).data ?? {}
    return Object.values(parsed)
      .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []))
      .filter(
        (value): value is string =>
          typeof value === 'string' && /^https:\/\/(?:www\.|\w+\.)?jotform\.com\/uploads\//.test(value),
      )
      .slice(0, MAX_ANSWERS)
      .map((url) => link(decodeName(url), url))
  } catch {
    return []
  }
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
      bullets([
        ...answersOf(payload.pretty ?? '').map(([question, answer]) => fact(question, answer)),
        ...filesOf(payload.rawRequest),
      ]),
    ),
  })),
})
