import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, link, md } from '../markdown.ts'

const text = z.string().nullish()

/** The results of Buildbot by their numbers. */
const RESULTS = [
  '✅ succeeded',
  '⚠️ ended with warnings',
  '❌ failed',
  '⚠️ was skipped',
  '❌ ended with an exception',
  '⚠️ will be tried again',
  '⚠️ was canceled',
]

export const buildbot = integration({
  name: 'buildbot',
  title: 'Buildbot',
  category: 'Continuous integration',
  summary: 'Builds',
  logo: { letter: 'B', color: '#a3772b' },
  steps: [
    `Add a reporter with the URL to \`master.cfg\`:

\`\`\`python
import time
from buildbot.plugins import reporters

def for_parley(context):
    build = context['build']
    return {
        'event': 'finished' if build['complete'] else 'new',
        'buildid': build['buildid'], 'buildername': build['builder']['name'],
        'url': build['url'], 'project': c['title'],
        'timestamp': int(time.time()), 'results': build['results'],
    }

formatter = reporters.MessageFormatterFunction(for_parley, 'json')
c['services'].append(reporters.HttpStatusPush('URL', generators=[
    reporters.BuildStartEndStatusGenerator(start_formatter=formatter, end_formatter=formatter),
]))
\`\`\``,
    'Restart the master.',
  ],
  sample: {
    payload: {
      event: 'finished',
      buildid: 42,
      buildername: 'tests',
      url: 'https://buildbot.example.com/#builders/1/builds/42',
      project: 'atlas',
      results: 0,
    },
  },
  handle: on(
    z.object({
      event: z.string(),
      buildid: z.number(),
      buildername: z.string(),
      url: text,
      project: text,
      results: z.number().nullish(),
    }),
    ({ event, buildid, buildername, url, project, results }) => {
      const state = event === 'new' ? '⏳ started' : (RESULTS[results ?? -1] ?? '⚠️ ended')
      const [icon, ...words] = state.split(' ')
      return {
        event,
        topic: project || 'general',
        content: md`${icon} Build ${link(`#${buildid}`, url)} of ${bold(buildername)} ${words.join(' ')}.`,
      }
    },
  ),
})
