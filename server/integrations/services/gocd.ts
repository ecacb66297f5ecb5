import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, code, fact, join, link, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()

const stage = z.object({
  name: z.string(),
  state: text,
  result: text,
  'create-time': text,
  'last-transition-time': text,
  jobs: z.array(z.object({ name: z.string(), result: text })).nullish(),
})

const cause = z.object({
  material: z.object({ 'git-configuration': z.object({ branch: text, url: text }).nullish() }).nullish(),
  modifications: z.array(z.object({ revision: text })).nullish(),
})

const payload = z.object({
  data: z.object({
    pipeline: z.object({ name: z.string(), 'build-cause': z.array(cause).nullish(), stage }),
  }),
})

const ICONS: Readonly<Record<string, string>> = { passed: '✅', failed: '❌', cancelled: '⚠️' }

/** Returns links to the commits that caused the build, with their branches. */
const commitsOf = (causes: readonly z.output<typeof cause>[] | null | undefined) =>
  (causes ?? []).slice(0, 10).map(({ material, modifications }) => {
    const revision = modifications?.[0]?.revision?.slice(0, 11)
    const git = material?.['git-configuration']
    if (!revision) return null
    const commit = code(revision)
    return fact(
      'Commit',
      md`${git?.url ? link(commit, `${git.url}/commit/${revision}`) : commit}${git?.branch ? md` on ${code(git.branch)}` : null}`,
    )
  })

export const gocd = integration({
  name: 'gocd',
  title: 'GoCD',
  category: 'Continuous integration',
  summary: 'Results of pipelines',
  logo: { letter: 'G', color: '#94399e' },
  steps: ['In GoCD, install a plugin for webhooks of pipelines, and set the URL in its settings.'],
  sample: {
    payload: {
      type: 'stage',
      data: {
        pipeline: {
          name: 'atlas',
          counter: '42',
          'build-cause': [
            {
              material: {
                type: 'git',
                'git-configuration': { branch: 'main', url: 'https://github.com/example/atlas.git' },
              },
              modifications: [{ revision: '3f2a91c04d7b' }],
            },
          ],
          stage: {
            name: 'tests',
            counter: '1',
            state: 'Passed',
            result: 'Passed',
            jobs: [{ name: 'unit', result: 'Passed', state: 'Completed' }],
          },
        },
      },
    },
  },
  eventOf: (given) => z.object({ type: z.string() }).safeParse(given).data?.type ?? '',
  events: {
    stage: on(payload, ({ data: { pipeline } }) => {
      const { stage } = pipeline
      const result = (stage.result ?? 'Unknown').toLowerCase()
      const icon = Object.hasOwn(ICONS, result) ? ICONS[result] : null
      const jobs = icon
        ? Array.from(Map.groupBy((stage.jobs ?? []).slice(0, 50), (one) => one.result || 'Unknown'))
        : []
      return {
        topic: `${pipeline.name} / ${stage.name}`,
        content: paragraphs(
          icon ? md`${icon} ${bold(`Build ${result}`)}` : bold(`Pipeline ${(stage.state ?? 'started').toLowerCase()}`),
          bullets([
            ...commitsOf(pipeline['build-cause']),
            fact('Started', stage['create-time']),
            icon && fact('Finished', stage['last-transition-time']),
            ...jobs.map(([name, ofResult]) =>
              fact(
                name,
                join(
                  ofResult.map((one) => code(one.name)),
                  ', ',
                ),
              ),
            ),
          ]),
        ),
      }
    }),
  },
})
