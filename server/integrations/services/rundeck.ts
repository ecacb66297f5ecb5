import { z } from 'zod'
import { outcomeOf } from '../builds.ts'
import { integration, on } from '../integration.ts'
import { link, md } from '../markdown.ts'

const text = z.string().nullish()

export const rundeck = integration({
  name: 'rundeck',
  title: 'Rundeck',
  category: 'Deployment',
  logo: { letter: 'R', color: '#f73f39' },
  steps: [
    'In Rundeck, open a job, and click **Edit this job**, then **Notifications**.',
    'Add a notification of the type **Send Webhook** with the URL, **JSON** and **POST** to the events that you want.',
  ],
  handle: on(
    z.object({
      status: z.string(),
      executionId: z.union([z.number(), z.string()]),
      trigger: text,
      execution: z.object({
        href: text,
        permalink: text,
        user: text,
        job: z.object({ name: z.string(), permalink: text, href: text }),
      }),
    }),
    ({ status, executionId, trigger, execution: { href, permalink, job } }) => {
      const { icon, words } = outcomeOf(status === 'scheduled' ? 'started' : status)
      return {
        event: trigger ?? status,
        topic: job.name,
        content: md`${icon} ${link(job.name, job.permalink ?? job.href)} ${words} (${link(`execution #${executionId}`, permalink ?? href)}).`,
      }
    },
  ),
})
