import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bullets, code, fact, join, link, type MarkdownValue, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()
const codes = (values: readonly string[]): MarkdownValue =>
  join(
    values.map((value) => code(value)),
    ' ',
  )

/** Returns whether the parameter turns an option on. */
const isOn = (value: string | undefined) => value === 'true' || value === '1'

export const opsgenie = integration({
  name: 'opsgenie',
  title: 'Opsgenie',
  category: 'Monitoring',
  summary: 'Alerts',
  logo: { letter: 'O', color: '#172b4d' },
  steps: [
    'In Opsgenie, open **Settings**, then **Integrations**, and add a **Webhook**.',
    'Paste the URL into **Webhook URL**, choose the actions, and turn the integration on.',
    'Add `eu_region=true` to the URL if your account is in the European region.',
  ],
  sample: {
    payload: {
      action: 'Create',
      integrationName: 'Atlas',
      alert: { alertId: '42', message: 'The disk of db-1 is almost full', tags: ['database'] },
    },
  },
  options: [{ name: 'eu_region', label: 'Whether links lead to the European region, `false` by default.' }],
  handle: on(
    z.object({
      action: z.string(),
      integrationName: text,
      escalationName: text,
      alert: z.object({
        alertId: z.string(),
        message: text,
        description: text,
        note: text,
        recipient: text,
        team: text,
        owner: text,
        addedTags: text,
        removedTags: text,
        tags: z.array(z.string()).nullish(),
      }),
    }),
    ({ action, integrationName, escalationName, alert }, request) => {
      const host = isOn(request.param('eu_region')) ? 'app.eu.opsgenie.com' : 'app.opsgenie.com'
      const url = `https://${host}/alert/V2#/show/${encodeURIComponent(alert.alertId.toWellFormed())}`
      return {
        event: action,
        topic: integrationName ?? 'Opsgenie',
        content: paragraphs(
          md`${link('Opsgenie alert', url)}:`,
          bullets([
            fact('Type', action.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')),
            fact('Note', alert.note),
            fact('Recipient', alert.recipient),
            alert.addedTags && fact('Tags added', alert.addedTags.split(',').join(', ')),
            alert.removedTags && fact('Tags removed', alert.removedTags.split(',').join(', ')),
            action === 'AddTeam' && fact('Team added', alert.team),
            fact('Assigned owner', alert.owner),
            fact('Escalation', escalationName),
            fact('Description', alert.description),
            fact('Message', alert.message),
            alert.tags && alert.tags.length > 0 && fact('Tags', codes(alert.tags)),
          ]),
        ),
      }
    },
  ),
})
