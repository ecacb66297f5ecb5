import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, lines, link, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const delivery = z.object({
  status: text,
  project: z.object({ key: text, name: text, url: text }),
  branch: z.object({ name: text, url: text, type: text }).nullish(),
  qualityGate: z
    .object({
      status: text,
      conditions: z
        .array(z.object({ metric: text, operator: text, value: text, status: text, errorThreshold: text }))
        .nullish(),
    })
    .nullish(),
})

const OPERATORS = new Map(Object.entries({ GREATER_THAN: 'at most', LESS_THAN: 'at least' }))

const lower = (words: string | null | undefined) => (words ?? '').toLowerCase().replaceAll('_', ' ')

export const sonarqube = integration({
  name: 'sonarqube',
  title: 'SonarQube',
  category: 'Continuous integration',
  summary: 'Quality gates',
  logo: { letter: 'S', color: '#4e9bcd' },
  steps: [
    'In SonarQube, open **Administration**, then **Configuration**, **Webhooks**; for one project, open its **Project Settings**, then **Webhooks**.',
    'Click **Create**, enter a name, and paste the URL. If you want deliveries to be verified, enter a secret, and enter the same as **Secret** under **More options** of the integration.',
    'Click **Create**.',
  ],
  sample: {
    payload: {
      status: 'SUCCESS',
      project: { key: 'atlas', name: 'atlas', url: 'https://sonarqube.example.com/dashboard?id=atlas' },
      branch: { name: 'main', url: 'https://sonarqube.example.com/dashboard?id=atlas&branch=main', type: 'BRANCH' },
      qualityGate: {
        status: 'ERROR',
        conditions: [
          { metric: 'new_coverage', operator: 'LESS_THAN', value: '71', status: 'ERROR', errorThreshold: '80' },
        ],
      },
    },
  },
  verify: hmacSignature({ header: 'X-Sonar-Webhook-HMAC-SHA256' }),
  handle: on(delivery, ({ status, project, branch, qualityGate: gate }) => {
    const name = project.name ?? project.key ?? 'SonarQube'
    const result = lower(gate?.status ?? status)
    const failed = (gate?.conditions ?? []).filter(({ status }) => status !== 'OK' && status !== 'NO_VALUE')
    const on =
      branch?.name &&
      md` of the branch ${branch.url && branch.url !== project.url ? link(branch.name, branch.url) : branch.name}`
    return {
      topic: branch?.name ? `${name} / ${branch.name}` : name,
      content: lines(
        md`The analysis${on} of ${link(name, project.url)} ended with ${result === 'ok' ? 'success' : result}${failed.length > 0 ? ':' : '.'}`,
        bullets(
          failed
            .slice(0, 50)
            .map(
              ({ metric, status, value, operator, errorThreshold: threshold }) =>
                md`${bold(lower(status))}: ${lower(metric)} is ${value ?? 'unknown'}${threshold && md` (${OPERATORS.get(operator ?? '') ?? 'limit'} ${threshold})`}`,
            ),
        ),
      ),
    }
  }),
})
