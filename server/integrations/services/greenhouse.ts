import { z } from 'zod'
import { eventIn, ignore, integration, on } from '../integration.ts'
import { bullets, fact, join, lines, link, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const id = z.union([z.number(), z.string()])
const job = z.object({ name: text })

const candidate = z.object({
  id,
  first_name: text,
  last_name: text,
  email_addresses: z.array(z.object({ value: text, type: text })).nullish(),
  attachments: z.array(z.object({ url: text, type: text, filename: text })).nullish(),
})

const application = z.object({
  candidate,
  job: job.nullish(),
  jobs: z.array(job).nullish(),
  rejection_reason: z.object({ name: text }).nullish(),
})

/** Returns the name of an action in words, such as `New Candidate Application`. */
const titleOf = (action: string) =>
  action
    .replaceAll('_', ' ')
    .replace(/(^|\s)(\w)/g, (_, before: string, letter: string) => before + letter.toUpperCase())

const applied = on(
  z.object({ action: z.string(), payload: z.object({ application }) }),
  ({ action, payload: { application: given } }) => {
    const { candidate } = given
    const roles = [given.job, ...(given.jobs ?? [])].map((one) => one?.name).filter((name) => name != null)
    const name = [candidate.first_name, candidate.last_name].filter(Boolean).join(' ') || 'A candidate'
    return {
      topic: `${titleOf(action)} - ${candidate.id}`,
      content: lines(
        md`${titleOf(action)}: ${name} (ID ${candidate.id})`,
        bullets([
          fact('Role', join(roles, ', ')),
          fact(
            'Emails',
            join(
              (candidate.email_addresses ?? []).map((one) => contact(one.value, one.type)),
              ', ',
            ),
          ),
          fact(
            'Attachments',
            join(
              (candidate.attachments ?? []).map((one) => link(one.filename || one.type || 'file', one.url)),
              ', ',
            ),
          ),
        ]),
        given.rejection_reason?.name && md`The reason is ${given.rejection_reason.name}.`,
      ),
    }
  },
)

const contact = (value: string | null | undefined, type: string | null | undefined) =>
  value ? md`${value}${type ? md` (${type})` : null}` : null

export const greenhouse = integration({
  name: 'greenhouse',
  title: 'Greenhouse',
  category: 'Productivity',
  logo: { letter: 'G', color: '#23a47f' },
  steps: ['In Greenhouse, open **Configure**, then **Dev Center**, and create a webhook with the URL for each event.'],
  verify: hmacSignature({ header: 'Signature', prefix: 'sha256 ' }),
  eventOf: eventIn('action'),
  events: {
    ping: ignore,
    new_candidate_application: applied,
    new_prospect_application: applied,
    hire_candidate: applied,
    unhire_candidate: applied,
    reject_candidate: applied,
    unreject_candidate: applied,
    candidate_stage_change: applied,
    application_updated: applied,
    offer_created: ignore,
    offer_approved: ignore,
    offer_updated: ignore,
  },
})
