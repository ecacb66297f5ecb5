import { z } from 'zod'
import { outcomeOf } from '../families/builds.ts'
import { integration, on } from '../integration.ts'
import { bullets, link, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()

export const ansibletower = integration({
  name: 'ansibletower',
  title: 'Ansible Tower',
  category: 'Deployment',
  summary: 'Results of jobs',
  logo: { letter: 'A', color: '#1a1a1a' },
  steps: [
    'In Ansible Tower or AWX, open **Notifications**, and add a notification of the type **Webhook**.',
    'Paste the URL into **Target URL**, and turn the notification on for your projects and templates.',
  ],
  sample: {
    payload: {
      id: 42,
      name: 'Deploy atlas',
      status: 'successful',
      friendly_name: 'Job',
      url: 'https://awx.example.com/#/jobs/playbook/42',
      hosts: { 'web-1': { failed: false }, 'web-2': { failed: false } },
    },
  },
  handle: on(
    z.object({
      id: z.number(),
      name: z.string(),
      status: z.string(),
      url: text,
      friendly_name: text,
      hosts: z.record(z.string(), z.object({ failed: z.boolean().nullish() })).nullish(),
    }),
    ({ id, name, status, url, friendly_name: kind, hosts }) => {
      const { icon, words } = outcomeOf(status)
      const states = Object.entries(hosts ?? {}).map(
        ([host, { failed }]) => md`${host}: ${failed ? 'failed' : 'succeeded'}`,
      )
      return {
        topic: name,
        content: paragraphs(
          md`${icon} ${kind ?? 'Job'} ${link(`#${id} ${name}`, url)} ${words}${states.length > 0 ? ':' : '.'}`,
          bullets(states),
        ),
      }
    },
  ),
})
