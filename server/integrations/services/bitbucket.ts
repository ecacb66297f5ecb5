import { z } from 'zod'
import * as forge from '../families/forge.ts'
import { integration, on } from '../integration.ts'

const text = z.string().nullish()

const payload = z.object({
  canon_url: text,
  user: text,
  repository: z.object({ name: z.string(), absolute_url: text, is_private: z.boolean().nullish() }),
  commits: z.array(z.object({ raw_node: z.string(), branch: text, message: text, author: text })),
})

export const bitbucket = integration({
  name: 'bitbucket',
  title: 'Bitbucket (old services)',
  category: 'Version control',
  knowsPrivate: true,
  summary: 'Pushes, in the format before 2015',
  logo: { letter: 'B', color: '#0052cc' },
  steps: [
    'In the repository on Bitbucket, add the service **POST** with the URL. New repositories use Bitbucket Cloud.',
  ],
  sample: {
    payload: {
      canon_url: 'https://bitbucket.org',
      user: 'ada',
      repository: { name: 'atlas', absolute_url: '/example/atlas/' },
      commits: [
        {
          branch: 'main',
          node: '3f2a91c04d7b',
          raw_node: '3f2a91c04d7b',
          raw_author: 'Ada <ada@example.com>',
          author: 'ada',
          message: 'Draw maps without gaps',
        },
      ],
    },
  },
  handle: on(payload, ({ canon_url: site, user, repository, commits: given }, { wantsBranch, ignoresPrivate }) => {
    if (repository.is_private && ignoresPrivate) return null
    const url = `${site ?? 'https://bitbucket.org'}${repository.absolute_url ?? '/'}`
    const who = user || given.at(-1)?.author || 'Someone'
    if (given.length === 0)
      return {
        topic: repository.name,
        content: forge.push({ user: who, branch: repository.name, commits: [], compareUrl: url, isForced: true }),
      }
    const branch = given.findLast((one) => one.branch)?.branch ?? 'unknown'
    if (!wantsBranch(branch)) return null
    const commits = given.map(({ raw_node: sha, message, author }) => ({
      ...{ sha, url: `${url}commits/${sha}`, message: message ?? '', author },
    }))
    return {
      topic: forge.branchTopic(repository.name, branch),
      content: forge.push({ user: who, branch, commits, compareUrl: commits.at(-1)?.url }),
    }
  }),
})
