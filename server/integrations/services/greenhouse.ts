import { z } from 'zod'
import { ignore, integration, need, on, parse } from '../integration.ts'
import { bullets, fact, join, lines, link, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const id = z.union([z.string(), z.number()])
const named = z.object({ name: text })

const candidate = z.object({
  id,
  first_name: text,
  last_name: text,
  email_addresses: z.array(z.object({ value: text, type: text })).nullish(),
  attachments: z.array(z.object({ filename: text, url: text, type: text })).nullish(),
})

const delivery = z.object({
  action: z.string(),
  payload: z.object({
    application: z
      .object({
        candidate: candidate.nullish(),
        jobs: z.array(named).nullish(),
        job: named.nullish(),
        current_stage: named.nullish(),
        rejection_reason: named.nullish(),
      })
      .nullish(),
    candidate: candidate.nullish(),
    job: named.nullish(),
  }),
})

/** Actions about candidates, as what happened to them. */
const ACTIONS = new Map<string, string>(
  Object.entries({
    new_candidate_application: 'applied',
    new_prospect_application: 'was added as a prospect',
    prospect_created: 'was added as a prospect',
    candidate_stage_change: 'is in another stage',
    hire_candidate: 'was hired',
    unhire_candidate: 'is not hired anymore',
    reject_candidate: 'was rejected',
    unreject_candidate: 'is not rejected anymore',
    update_candidate: 'was updated',
    application_updated: 'has an updated application',
    offer_created: 'has an offer',
    offer_updated: 'has an updated offer',
    offer_approved: 'has an approved offer',
    offer_deleted: 'has no offer anymore',
    delete_candidate: 'was deleted',
    merge_candidate: 'was merged with another candidate',
    candidate_anonymized: 'was anonymized',
    delete_application: 'has no application anymore',
    scorecard_deleted: 'has a scorecard less',
    interview_deleted: 'has an interview less',
  }),
)

const titleCase = (action: string) =>
  action
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')

const handler = on(delivery, ({ action, payload }) => {
  const { application } = payload
  const person = need(application?.candidate ?? payload.candidate)
  const role = application?.jobs?.[0]?.name ?? application?.job?.name ?? payload.job?.name
  const stage = action === 'candidate_stage_change' ? application?.current_stage?.name : null
  const reason = action === 'reject_candidate' ? application?.rejection_reason?.name : null
  const detail = stage ?? reason
  return {
    topic: `${titleCase(action)} - ${person.id}`,
    content: lines(
      md`${person.first_name} ${person.last_name} ${ACTIONS.get(action)}${detail && md` (${detail})`}:`,
      bullets([
        fact('Role', role),
        fact(
          'Emails',
          join(
            (person.email_addresses ?? []).map(({ value, type }) => md`${value}${type && md` (${type})`}`),
            ', ',
          ),
        ),
        fact(
          'Attachments',
          join(
            (person.attachments ?? []).map(({ filename, url, type }) => link(type || filename, url)),
            ', ',
          ),
        ),
      ]),
    ),
  }
})

export const greenhouse = integration({
  name: 'greenhouse',
  title: 'Greenhouse',
  category: 'Productivity',
  summary: 'Candidates and applications',
  logo: { letter: 'G', color: '#15372c' },
  steps: [
    'In Greenhouse Recruiting, open **Configure**, then **Dev Center**, then **Webhooks**, and click **Web hooks** and **Create new webhook**.',
    'Enter a name, choose the event, paste the URL into **Endpoint URL**, and enter a secret key.',
    'Click **Create Web hook**. If you want deliveries to be verified, set the secret key for the bot.',
  ],
  sample: {
    payload: {
      action: 'candidate_stage_change',
      payload: {
        application: {
          id: 1,
          candidate: {
            id: 42,
            first_name: 'Ada',
            last_name: 'Lovelace',
            email_addresses: [{ value: 'ada@example.com', type: 'personal' }],
            attachments: [],
          },
          jobs: [{ name: 'Cartographer' }],
          current_stage: { name: 'Interview' },
        },
      },
    },
  },
  verify: hmacSignature({ header: 'Signature', prefix: 'sha256 ' }),
  eventOf: (payload) => parse(z.object({ action: z.string() }), payload).action,
  events: { ...Object.fromEntries([...ACTIONS.keys()].map((action) => [action, handler])), ping: ignore },
})
