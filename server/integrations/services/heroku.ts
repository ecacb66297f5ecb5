import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const hook = z.object({ app: z.string(), user: text, url: text, head: text, git_log: text, release: text })

/** Deliveries of app webhooks, which replaced deploy hooks. */
const appWebhook = z.object({
  action: text,
  resource: z.string(),
  actor: z.object({ email: text }).nullish(),
  data: z.object({
    app: z.object({ name: z.string() }).nullish(),
    name: text,
    description: text,
    status: text,
    version: z.number().nullish(),
    slug: z.object({ commit: text, commit_description: text }).nullish(),
  }),
})

const VERBS = new Map(Object.entries({ create: 'was created', update: 'was updated', destroy: 'was deleted' }))

export const heroku = integration({
  name: 'heroku',
  title: 'Heroku',
  category: 'Deployment',
  summary: 'Deployments',
  logo: { letter: 'H', color: '#430098' },
  steps: [
    'In Heroku, open your app, then **More**, **View webhooks**, and click **Create Webhook**.',
    'Enter a name, paste the URL into **Payload URL**, and choose the event type **api:release**.',
    'If you want deliveries to be verified, enter a secret, and enter the same as **Secret** under **More options** of the integration. Click **Add Webhook**.',
  ],
  sample: {
    payload: {
      app: 'atlas',
      user: 'ada@example.com',
      url: 'https://atlas.herokuapp.com',
      head: '3f2a91c',
      git_log: ' * Ada: Draw maps without gaps',
      release: 'v42',
    },
  },
  verify: hmacSignature({ header: 'Heroku-Webhook-Hmac-SHA256', encoding: 'base64' }),
  read: ({ body }) => (body.has('app') ? Object.fromEntries(body) : null),
  handle: on(z.union([hook, appWebhook]), (payload) => {
    if ('app' in payload) {
      const { app, user, url, head, git_log: log, release } = payload
      return {
        event: 'deploy',
        topic: app,
        content: paragraphs(
          md`${user || 'Someone'} deployed${release && md` release ${release} of`} ${link(app, url)}${head && md` at ${head}`}${log ? ':' : '.'}`,
          quote(log),
        ),
      }
    }
    const { action, resource, actor, data } = payload
    const app = data.app?.name ?? data.name ?? 'Heroku'
    const commit = data.slug?.commit_description ?? data.description
    const name = typeof data.version === 'number' ? `${resource} v${data.version}` : resource
    return {
      event: resource,
      topic: app,
      content: paragraphs(
        md`The ${name} of ${app} ${VERBS.get(action ?? '') ?? 'changed'}${actor?.email && md` by ${actor.email}`}${data.status && md` (${data.status})`}${commit ? ':' : '.'}`,
        quote(commit),
      ),
    }
  }),
})
