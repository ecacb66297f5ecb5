import BotIcon from 'lucide-react/icons/bot'
import { type ReactNode, useState } from 'react'
import type { AnswerOf } from '../../api/call.ts'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import * as css from './panel.module.css'

export type Integration = AnswerOf<'GET /integrations/{integration}'>

/** The steps in the service, with a link to its public page. */
export function Steps({ service }: { service: Integration }): ReactNode {
  return (
    <div className={css.steps}>
      <ol aria-label={t('Steps')}>
        {service.steps_html.map((html, at) => (
          <li key={at}>
            <RenderedContent html={html} />
          </li>
        ))}
      </ol>
      <a href={service.page} target="_blank" rel="noopener noreferrer">
        {t('Page about {title} to share', { title: service.title })}
      </a>
    </div>
  )
}

/** A sample message of the service. */
export function Sample({ service, name }: { service: Integration; name: string }): ReactNode {
  const [now] = useState(() => Date.now() / 1000)
  if (service.sample === null) return null
  return (
    <section aria-labelledby="integration-sample">
      <h3 id="integration-sample" className={css.label}>
        {t('How it looks')}
      </h3>
      <div className={css.sample}>
        <span className={`avatar ${css.sampleAvatar}`} aria-hidden="true">
          <BotIcon className="icon" />
        </span>
        <div className={css.sampleBody}>
          <p className={css.sampleHead}>
            <b>{name}</b> <Badge kind="quiet">{t('Bot')}</Badge>{' '}
            <span className="soft small">
              <Time at={now} as="clock" />
            </span>
          </p>
          <RenderedContent html={service.sample.rendered_content} />
        </div>
      </div>
    </section>
  )
}
