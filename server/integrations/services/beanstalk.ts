import { z } from 'zod'
import * as forge from '../families/forge.ts'
import { integration, on } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const git = z.object({
  repository: z.object({ name: z.string(), url: text }),
  branch: z.string(),
  before: text,
  after: text,
  commits: z.array(
    z.object({
      id: z.string(),
      url: text,
      message: text,
      changeset_url: text,
      author: z.object({ name: text, email: text }).nullish(),
    }),
  ),
  pusher_name: text,
})

const subversion = z.object({
  author_full_name: text,
  author: text,
  revision: z.union([z.number(), z.string()]),
  message: text,
  changeset_url: text,
})

export const beanstalk = integration({
  name: 'beanstalk',
  title: 'Beanstalk',
  category: 'Version control',
  summary: 'Commits of Git and Subversion',
  logo: { letter: 'B', color: '#23a11d' },
  steps: [
    'In Beanstalk, open **Settings** of the repository, then **Integrations**, and add a **Classic Webhook** with the URL.',
  ],
  sample: {
    payload: {
      repository: { name: 'atlas' },
      branch: 'main',
      before: '1'.repeat(40),
      after: '2'.repeat(40),
      pusher_name: 'Ada',
      commits: [
        {
          id: '2'.repeat(40),
          message: 'Draw maps without gaps',
          url: 'https://example.beanstalkapp.com/atlas/changesets/2',
        },
      ],
    },
  },
  handle: on(z.union([git, subversion]), (given, { wantsBranch }) => {
    if ('revision' in given) {
      return {
        topic: `svn r${given.revision}`,
        content: paragraphs(
          md`${given.author_full_name || given.author || 'Someone'} pushed ${link(`revision ${given.revision}`, given.changeset_url)}:`,
          quote(given.message),
        ),
      }
    }
    const branch = forge.branchOf(given.branch)
    if (!wantsBranch(branch)) return null
    const commits = given.commits.map(({ id, url, changeset_url, message, author }) => ({
      ...{ sha: id, url: url ?? changeset_url, message: message ?? '', author: author?.name },
    }))
    return {
      topic: forge.branchTopic(given.repository.name, branch),
      content: forge.push({
        user: given.pusher_name || commits.at(-1)?.author || 'Someone',
        branch,
        commits,
        compareUrl: given.repository.url,
        isNew: forge.isNoCommit(given.before),
        isDeleted: forge.isNoCommit(given.after),
      }),
    }
  }),
})
