import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'

const field = z.string().optional()

const deploy = z.object({
  app: z.string(),
  url: field,
  user: field,
  head: field,
  release: field,
  git_log: field,
})

export const heroku = integration({
  name: 'heroku',
  title: 'Heroku',
  category: 'Deployment',
  logo: { letter: 'H', color: '#430098' },
  steps: ['In Heroku, add the add-on **Deploy Hooks** to the app, with the type **HTTP** and the URL.'],
  isForm: true,
  handle: on(deploy, ({ app, url, user, head, release, git_log: log }) => ({
    topic: app,
    content: paragraphs(
      md`${user || 'Someone'} deployed ${head ? md`the commit ${head} of ` : null}${link(app, url)}${release ? md` as ${release}` : null}:`,
      quote(log),
    ),
  })),
})
