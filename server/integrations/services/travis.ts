import { z } from 'zod'
import { shortSha } from '../families/forge.ts'
import { integration, on } from '../integration.ts'
import { link, md } from '../markdown.ts'

const text = z.string().nullish()

/** Parameters are texts; these turn an option on. */
const isOn = (value: string | undefined) => value === 'true' || value === '1'

export const travis = integration({
  name: 'travis',
  title: 'Travis CI',
  category: 'Continuous integration',
  summary: 'Builds',
  logo: { letter: 'T', color: '#39aa56' },
  steps: [
    `Add the URL to \`.travis.yml\` of your repository:

\`\`\`yaml
notifications:
  webhooks: 'URL'
\`\`\``,
    'Add `ignore_pull_requests=true` to the URL to get no messages about builds of pull requests.',
  ],
  sample: {
    payload: {
      type: 'push',
      status_message: 'Passed',
      author_name: 'Ada',
      branch: 'main',
      build_url: 'https://app.travis-ci.com/github/example/atlas/builds/42',
      compare_url: 'https://github.com/example/atlas/compare/1...2',
      repository: { name: 'atlas' },
    },
  },
  options: [
    { name: 'ignore_pull_requests', label: 'Whether builds of pull requests are ignored, `false` by default.' },
  ],
  handle: on(
    z.object({
      type: text,
      build_url: text,
      status_message: z.string(),
      author_name: text,
      compare_url: text,
      commit: text,
      branch: text,
      repository: z.object({ name: z.string() }).nullish(),
    }),
    (build, request) => {
      if (build.type === 'pull_request' && isOn(request.param('ignore_pull_requests'))) return null
      const icon =
        { Passed: '👍', Fixed: '👍' }[build.status_message] ??
        (/fail|broken|error/i.test(build.status_message) ? '👎' : '⏳')
      return {
        event: build.type ?? 'push',
        topic: 'builds',
        content: md`${icon} ${link('Build', build.build_url)} of ${link(build.commit ? shortSha(build.commit) : 'a change', build.compare_url)}${build.branch && md` on ${build.branch}`} by ${build.author_name ?? 'someone'}: ${build.status_message.toLowerCase()}.`,
      }
    },
  ),
})
