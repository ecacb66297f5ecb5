import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bullets, count, fact, link, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()
const payload = z.object({
  test_name: z.string(),
  test_url: text,
  test_run_url: text,
  result: z.string(),
  team_name: text,
  bucket_name: text,
  environment_name: text,
  region_name: text,
  requests: z.array(z.object({ result: text, method: text, url: text })).nullish(),
})

/** The maximum number of requests that a message lists. */
const MAX_REQUESTS = 10

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
  handle: on(payload, (given) => {
    const failed = (given.requests ?? []).filter(({ result }) => result === 'fail')
    return {
      topic: given.bucket_name ?? given.test_name,
      content: paragraphs(
        md`${link(given.test_name, given.test_url)} ${given.result === 'pass' ? 'passed' : 'failed'}: see the ${link('results', given.test_run_url)}.`,
        bullets([
          fact('Environment', given.environment_name),
          fact('Region', given.region_name),
          failed.length > 0 && md`${count(failed.length, 'request')} failed`,
          ...failed.slice(0, MAX_REQUESTS).map(({ method, url }) => md`${method ?? 'GET'} ${url}`),
        ]),
      ),
    }
  }),
})
