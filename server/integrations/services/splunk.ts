import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { code, fact, lines, link, md } from '../markdown.ts'

const text = z.string().nullish()

/** The maximum length of a topic; the end of a longer name is left out. */
const MAX_NAME = 60

export const splunk = integration({
  name: 'splunk',
  title: 'Splunk',
  category: 'Monitoring',
  summary: 'Alerts of searches',
  logo: { letter: 'S', color: '#65a637' },
  steps: ['In Splunk, save a search as an alert.', 'Add the action **Webhook** to the alert, and paste the URL.'],
  sample: {
    payload: {
      search_name: 'Errors of atlas',
      results_link: 'https://splunk.example.com/app/search/42',
      result: { host: 'web-1', source: '/var/log/atlas.log', _raw: 'The map did not load' },
    },
  },
  handle: on(
    z.object({
      search_name: text,
      results_link: text,
      result: z.object({ host: text, source: text, _raw: text }).nullish(),
    }),
    ({ search_name: name, results_link: url, result }) => {
      const search = name || 'Missing search_name'
      return {
        topic: search.length > MAX_NAME ? `${search.slice(0, MAX_NAME - 3)}...` : search,
        content: lines(
          md`Splunk found results of a saved search:`,
          md`* ${fact('Search', link(search, url))}`,
          md`* ${fact('Host', result?.host || 'unknown')}`,
          md`* ${fact('Source', code(result?.source || 'Missing source'))}`,
          md`* ${fact('Raw', code(result?._raw || 'Missing _raw'))}`,
        ),
      }
    },
  ),
})
