import { z } from 'zod'
import { outcomeOf } from '../families/builds.ts'
import { shortSha } from '../families/forge.ts'
import { integration, on } from '../integration.ts'
import { bullets, fact, link, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()

export const appveyor = integration({
  name: 'appveyor',
  title: 'AppVeyor',
  category: 'Continuous integration',
  summary: 'Builds',
  logo: { letter: 'A', color: '#00b3e0' },
  steps: [
    'In your project on AppVeyor, open **Settings**, then **Notifications**, and add a notification of the kind **Webhook**.',
    'Paste the URL into **Webhook URL**, and choose when to send it.',
  ],
  sample: {
    payload: {
      eventName: 'build_success',
      eventData: {
        status: 'Success',
        projectName: 'atlas',
        buildVersion: '1.0.42',
        buildUrl: 'https://ci.appveyor.com/project/example/atlas/builds/42',
        commitId: '3f2a91c04d',
        commitUrl: 'https://github.com/example/atlas/commit/3f2a91c04d',
        commitAuthor: 'Ada',
        commitMessage: 'Draw maps without gaps',
        started: '2026-03-02 09:12',
        finished: '2026-03-02 09:15',
      },
    },
  },
  handle: on(
    z.object({
      eventName: text,
      eventData: z.object({
        status: z.string(),
        projectName: z.string(),
        buildVersion: text,
        buildUrl: text,
        commitUrl: text,
        commitId: text,
        commitAuthor: text,
        commitMessage: text,
        started: text,
        finished: text,
      }),
    }),
    ({ eventName, eventData: build }) => {
      const { icon, words } = outcomeOf(build.status)
      return {
        event: eventName ?? '',
        topic: build.projectName,
        content: paragraphs(
          md`${icon} ${link(`Build ${build.projectName} ${build.buildVersion ?? ''}`, build.buildUrl)} ${words}:`,
          bullets([
            fact(
              'Commit',
              build.commitId &&
                md`${link(shortSha(build.commitId), build.commitUrl)} by ${build.commitAuthor ?? 'someone'}: ${build.commitMessage}`,
            ),
            fact('Started', build.started),
            fact('Finished', build.finished),
          ]),
        ),
      }
    },
  ),
})
