import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { equalSecrets } from '#lib/secrets.ts'
import { integration, on } from '../integration.ts'
import { bullets, fact, lines, link, md, sentence } from '../markdown.ts'
import type { VerifySignature } from '../signatures.ts'

const text = z.string().nullish()

const deploy = z.object({ name: text, url: text, branch: text, error_message: text, title: text, context: text })

const about = (words: string) =>
  on(deploy, ({ name, url, branch, error_message: error }, request) => {
    if (branch && !request.wantsBranch(branch)) return null
    return {
      topic: branch || name || 'Netlify',
      content: sentence(
        md`The build of ${link(name || 'the site', url)}${branch && md` on the branch ${branch}`} ${words}${error && md`: ${error}`}`,
      ),
    }
  })

/** Checks the signature of Netlify: a token, signed with the secret, that contains the hash of the body. */
const netlifySignature: VerifySignature = ({ headers, rawBody, secret }) => {
  const [header = '', claims = '', signature = ''] = String(headers['x-webhook-signature'] ?? '').split('.')
  if (!equalSecrets(signature, createHmac('sha256', secret).update(`${header}.${claims}`).digest('base64url')))
    return false
  try {
    const { sha256 = '' } =
      z.object({ sha256: z.string() }).safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))).data ??
      {}
    return equalSecrets(sha256, createHash('sha256').update(rawBody).digest('hex'))
  } catch {
    return false
  }
}

const submission = z.object({ form_name: text, site_url: text, data: z.record(z.string(), z.unknown()).nullish() })

/** Fields of forms that visitors do not fill in. */
const HIDDEN = ['ip', 'user_agent', 'referrer', 'bot-field']

export const netlify = integration({
  name: 'netlify',
  title: 'Netlify',
  category: 'Deployment',
  summary: 'Deployments',
  logo: { letter: 'N', color: '#00ad9f' },
  steps: [
    'In Netlify, open your site, then **Site configuration**, **Notifications**, and **Emails and webhooks**.',
    'Click **Add notification**, then **HTTP POST request**, choose the event, and paste the URL. If you want deliveries to be verified, enter a JWS secret token, and enter the same as **Secret** under **More options** of the integration.',
    'Save, and repeat this for every event that you want.',
  ],
  sample: {
    headers: { 'X-Netlify-Event': 'deploy_created' },
    payload: { name: 'atlas', url: 'https://atlas.netlify.app', branch: 'main', title: 'Draw maps without gaps' },
  },
  verify: netlifySignature,
  eventHeader: 'X-Netlify-Event',
  events: {
    deploy_building: about('started'),
    deploy_created: about('succeeded'),
    deploy_failed: about('failed'),
    deploy_deleted: about('was deleted'),
    deploy_locked: about('is locked now'),
    deploy_unlocked: about('is unlocked now'),
    deploy_request_pending: about('waits for approval'),
    deploy_request_accepted: about('was approved'),
    deploy_request_rejected: about('was rejected'),
    submission_created: on(submission, ({ form_name: form, site_url: url, data }) => ({
      topic: form || 'Forms',
      content: lines(
        md`The form ${link(form || 'without a name', url)} was filled in:`,
        bullets(
          Object.entries(data ?? {})
            .filter(([name, value]) => !HIDDEN.includes(name) && typeof value === 'string')
            .slice(0, 30)
            .map(([name, value]) => fact(name, value as string)),
        ),
      ),
    })),
  },
})
