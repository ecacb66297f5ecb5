import ExternalLink from 'lucide-react/icons/external-link'
import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { CopyButton } from '../../ui/buttons/copy-button.tsx'
import type { Code } from '../../ui/message/to-react.ts'
import './code-tools.css'
import { t } from '../../text/t.ts'
import { toPlaygroundAddress } from './playground-address.ts'

/** Tools of a code block: copy it, or open it in a playground for its language. */
export function CodeTools({ language, text }: Code): ReactNode {
  const { realm_playgrounds } = useOrganization()
  const requested = language.toLowerCase()
  const playgrounds = realm_playgrounds.filter((one) => one.pygments_language.toLowerCase() === requested)
  return (
    <div className="code-tools">
      {playgrounds.map(({ id, name, url_template }) => (
        <a
          key={id}
          className="button button-plain"
          href={toPlaygroundAddress(url_template, text)}
          target="_blank"
          rel="noopener noreferrer"
        >
          <ExternalLink className="icon" aria-hidden="true" />
          {t('Open in {name}', { name })}
        </a>
      ))}
      <CopyButton text={text} aria-label={t('Copy code')} />
    </div>
  )
}
