import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md } from '../markdown.ts'

const text = z.string().nullish()

const delivery = z.object({
  trigger: z.string(),
  status: text,
  execution: z.object({
    id: z.union([z.number(), z.string()]).nullish(),
    href: text,
    status: text,
    user: text,
    project: text,
    job: z.object({ name: z.string(), permalink: text, href: text }),
  }),
})

/** Triggers and statuses, as what the job did. */
const VERBS = new Map<string, string>(
  Object.entries({
    start: 'started',
    success: 'succeeded',
    failure: 'failed',
    retryablefailure: 'failed and is tried again',
    avgduration: 'takes longer than usual',
    running: 'is running',
    succeeded: 'succeeded',
    failed: 'failed',
    aborted: 'was aborted',
    timedout: 'timed out',
    scheduled: 'was scheduled',
  }),
)

export const rundeck = integration({
  name: 'rundeck',
  title: 'Rundeck',
  category: 'Deployment',
  summary: 'Runs of jobs',
  logo: { letter: 'R', color: '#f73f39' },
  steps: [
    'In Rundeck, open the job, then **Action**, **Edit this job**, and the tab **Notifications**.',
    'Click **Add Notification**, choose the trigger, and the type **Send Webhook**.',
    'Paste the URL, choose **JSON** as the payload format and **POST** as the method, and save the job.',
  ],
  sample: {
    payload: {
      trigger: 'success',
      status: 'succeeded',
      execution: {
        id: 42,
        href: 'https://rundeck.example.com/project/atlas/execution/show/42',
        status: 'succeeded',
        user: 'ada',
        project: 'atlas',
        job: { name: 'Print the maps', permalink: 'https://rundeck.example.com/project/atlas/job/show/1' },
      },
    },
  },
  handle: on(delivery, ({ trigger, status, execution }) => {
    const { job } = execution
    const verb =
      VERBS.get(trigger === 'failure' && status === 'aborted' ? 'aborted' : trigger) ??
      VERBS.get(status ?? '') ??
      `is ${status ?? trigger}`
    const run = link(
      execution.id === null || execution.id === undefined ? 'execution' : `execution #${execution.id}`,
      execution.href,
    )
    return {
      event: trigger,
      topic: job.name,
      content: md`The job ${link(job.name, job.permalink ?? job.href)} ${verb} (${run}${execution.user && md` of ${execution.user}`}).`,
    }
  }),
})
