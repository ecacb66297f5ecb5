import { z } from 'zod'
import * as forge from '../families/forge.ts'
import { integration, on, unknownEvent } from '../integration.ts'

const text = z.string().nullish()
const commit = z.object({
  raw_id: z.string(),
  message: text,
  message_html_title: text,
  author: text,
  url: text,
  branch: text,
})

export const rhodecode = integration({
  name: 'rhodecode',
  title: 'RhodeCode',
  category: 'Version control',
  summary: 'Pushes',
  logo: { letter: 'R', color: '#01adb5' },
  steps: [
    'In your repository on RhodeCode, open **Repository Settings**, then **Integrations**, and add a **Webhook**.',
    'Paste the URL, keep **POST**, choose **repository push**, and save.',
  ],
  sample: {
    payload: {
      event: {
        name: 'repo-push',
        repo: { repo_name: 'atlas', url: 'https://code.example.com/atlas' },
        actor: { username: 'ada' },
        push: {
          branches: [{ name: 'main', url: 'https://code.example.com/atlas/changelog?branch=main' }],
          commits: [
            {
              raw_id: '3f2a91c04d7b',
              message: 'Draw maps without gaps',
              author: 'Ada',
              url: 'https://code.example.com/atlas/changeset/3f2a91c04d7b',
              branch: 'main',
            },
          ],
        },
      },
    },
  },
  eventOf: (payload) =>
    z.object({ event: z.object({ name: z.string() }) }).safeParse(payload).data?.event.name ?? unknownEvent('unknown'),
  events: {
    'repo-push': on(
      z.object({
        event: z.object({
          repo: z.object({ repo_name: z.string(), url: text }),
          actor: z.object({ username: text }).nullish(),
          push: z.object({
            commits: z.array(commit).nullish(),
            branches: z.array(z.object({ name: z.string(), url: text })).nullish(),
          }),
        }),
      }),
      ({ event: { repo, actor, push } }, request) => {
        const given = push.commits ?? []
        const deleted = /^delete_branch=>(.+)$/.exec(given[0]?.raw_id ?? '')?.[1]
        const branch = deleted ?? push.branches?.[0]?.name ?? given[0]?.branch ?? 'unknown'
        if (!request.wantsBranch(branch)) return null
        const commits = given.map(({ raw_id: sha, message, message_html_title: title, author, url }) => ({
          ...{ sha, url, message: message ?? title ?? '', author: author && forge.nameIn(author) },
        }))
        const user = actor?.username ?? 'Someone'
        return {
          topic: forge.branchTopic(repo.repo_name, branch),
          content: forge.push(
            deleted === undefined
              ? { user, branch, commits, compareUrl: null }
              : { user, branch, commits: [], isDeleted: true, compareUrl: given[0]?.url },
          ),
        }
      },
    ),
  },
})
