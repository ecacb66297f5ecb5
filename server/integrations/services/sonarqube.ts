import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, link, md, paragraphs } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const spaced = (name: string) => name.replaceAll('_', ' ')

export const sonarqube = integration({
  name: 'sonarqube',
  title: 'SonarQube',
  category: 'Continuous integration',
  logo: { letter: 'S', color: '#4e9bcd' },
  steps: [
    'In your project on SonarQube, open **Project Settings**, then **Webhooks**, and click **Create**.',
    'Paste the URL. If you want deliveries to be verified, choose a secret, and set the same for the bot.',
  ],
  verify: hmacSignature({ header: 'X-Sonar-Webhook-HMAC-SHA256' }),
  handle: on(
    z.object({
      project: z.object({ name: z.string(), url: text }),
      branch: z.object({ name: text, url: text }).nullish(),
      qualityGate: z
        .object({
          status: z.string(),
          conditions: z
            .array(
              z.object({ metric: z.string(), status: z.string(), value: text, errorThreshold: text, operator: text }),
            )
            .nullish(),
        })
        .nullish(),
    }),
    ({ project, branch, qualityGate }) => {
      const status = qualityGate?.status.toLowerCase() ?? 'none'
      const bad = (qualityGate?.conditions ?? []).filter((one) => one.status !== 'OK' && one.status !== 'NO_VALUE')
      return {
        topic: branch?.name ? `${project.name} / ${branch.name}` : project.name,
        content: paragraphs(
          md`The analysis of ${link(project.name, branch?.url ?? project.url)} ended with the quality gate ${bold(status)}${bad.length > 0 ? ':' : '.'}`,
          bullets(
            bad.map(
              ({ metric, status, value, errorThreshold, operator }) =>
                md`${spaced(metric)}: ${status.toLowerCase()}${value && md` (${value}${errorThreshold && md`, must ${operator === 'LESS_THAN' ? 'not be below' : 'not exceed'} ${errorThreshold}`})`}`,
            ),
          ),
        ),
      }
    },
  ),
})
