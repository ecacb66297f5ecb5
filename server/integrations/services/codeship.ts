import { z } from 'zod'
import { outcomeOf } from '../families/builds.ts'
import { integration, on } from '../integration.ts'
import { link, md } from '../markdown.ts'

const text = z.string().nullish()

export const codeship = integration({
  name: 'codeship',
  title: 'Codeship',
  category: 'Continuous integration',
  summary: 'Builds',
  logo: { letter: 'C', color: '#3c4858' },
  steps: [
    'In your project on Codeship, open **Project Settings**, then **Notifications**.',
    'Add a webhook with the URL.',
  ],
  sample: {
    payload: {
      build: {
        build_url: 'https://app.codeship.com/projects/1/builds/42',
        status: 'success',
        project_name: 'example/atlas',
        branch: 'main',
        committer: 'ada',
      },
    },
  },
  handle: on(
    z.object({
      build: z.object({ build_url: text, status: z.string(), project_name: z.string(), branch: text, committer: text }),
    }),
    ({ build }) => {
      const { icon, words } = outcomeOf(build.status)
      return {
        topic: build.project_name,
        content: md`${icon} ${link('Build', build.build_url)}${build.committer && md` by ${build.committer}`}${build.branch && md` on ${build.branch}`} ${words}.`,
      }
    },
  ),
})
