import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()
const deploy = z.object({ branch: text, url: text, name: text, error_message: text, title: text })

const deployed = (words: string) =>
  on(deploy, (given, { wantsBranch }) => {
    const branch = given.branch || 'unknown'
    if (!wantsBranch(branch)) return null
    return {
      topic: branch,
      content: paragraphs(
        md`The build of ${link(given.name || 'the site', given.url)} on the branch ${branch} ${words}.`,
        quote(given.error_message),
      ),
    }
  })

export const netlify = integration({
  name: 'netlify',
  title: 'Netlify',
  category: 'Deployment',
  logo: { letter: 'N', color: '#00ad9f' },
  steps: [
    'In Netlify, open **Site configuration**, then **Notifications**, and add an **HTTP POST request** for each event.',
  ],
  eventHeader: 'X-Netlify-Event',
  events: {
    deploy_building: deployed('started'),
    deploy_created: deployed('succeeded, and is live'),
    deploy_failed: deployed('failed'),
    deploy_locked: deployed('is locked'),
    deploy_unlocked: deployed('is unlocked'),
    deploy_request_pending: deployed('waits for approval'),
    deploy_request_accepted: deployed('was approved'),
    deploy_request_rejected: deployed('was rejected'),
  },
})
