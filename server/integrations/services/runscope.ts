import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bullets, code, fact, link, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()
const tally = z.object({ pass: z.number().nullish(), total: z.number().nullish() }).nullish()
const payload = z.object({
  test_name: z.string(),
  test_url: text,
  test_run_url: text,
  trigger_url: text,
  result: z.string(),
  team_name: text,
  bucket_name: text,
  environment_name: text,
  region_name: text,
  requests: z
    .array(
      z.object({
        result: text,
        method: text,
        url: text,
        response_time_ms: z.number().nullish(),
        assertions: tally,
        scripts: tally,
      }),
    )
    .nullish(),
})

/** The maximum number of failed requests that a message lists. */
const MAX_REQUESTS = 10

/** Returns how many of all passed, such as `1 of 2`. */
const passedOf = (tallies: readonly z.output<typeof tally>[]) =>
  `${sum(tallies.map((one) => one?.pass))} of ${sum(tallies.map((one) => one?.total))}`

const sum = (numbers: readonly (number | null | undefined)[]) =>
  numbers.reduce<number>((total, number) => total + Math.max(0, number ?? 0), 0)

export const runscope = integration({
  name: 'runscope',
  title: 'Runscope',
  category: 'Monitoring',
  summary: 'Results of API tests',
  logo: { letter: 'R', color: '#3498db' },
  steps: [
    'In Runscope, open **Connected Services**, and connect **Webhook**. Paste the URL.',
    'In the environment of a test, open **Integrations**, and turn on the webhook.',
  ],
  sample: {
    payload: {
      test_name: 'Search for places',
      result: 'pass',
      test_url: 'https://www.runscope.com/radar/example',
      test_run_url: 'https://www.runscope.com/radar/example/42',
      environment_name: 'Production',
      started_at: 1772442000,
      finished_at: 1772442003,
      team_name: 'Maps',
      bucket_name: 'atlas',
      requests: [],
      variables: {},
    },
  },
  options: [{ name: 'only_on', label: 'Only results of this kind: `pass` or `fail`.' }],
  handle: on(payload, (given, { param }) => {
    const only = param('only_on')
    if (only !== undefined && only !== given.result) return null
    const requests = given.requests ?? []
    const failed = requests.filter(({ result }) => result === 'fail')
    const name = given.bucket_name ? `${given.bucket_name}: ${given.test_name}` : given.test_name
    const isPassed = given.result === 'pass'
    const again = given.trigger_url && md`, ${link('run it again', given.trigger_url)}`
    return {
      event: given.result,
      topic: name,
      content: paragraphs(
        md`${isPassed ? '✅' : '❌'} ${code(name)}: see the ${link('results', given.test_run_url)}, ${link('edit the test', given.test_url)}${again}.`,
        bullets([
          fact('Status', isPassed ? 'passed' : 'failed'),
          fact('Environment', given.environment_name),
          fact('Team Name', given.team_name),
          fact('Location', given.region_name),
          fact('Total Response Time', `${sum(requests.map((one) => one.response_time_ms))} ms`),
          fact('Requests Executed', requests.length),
          fact('Assertions Passed', passedOf(requests.map((one) => one.assertions))),
          fact('Scripts Passed', passedOf(requests.map((one) => one.scripts))),
          ...failed.slice(0, MAX_REQUESTS).map(({ method, url }) => md`Failed: ${method ?? 'GET'} ${url}`),
        ]),
      ),
    }
  }),
})
