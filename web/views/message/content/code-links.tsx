import Play from 'lucide-react/icons/play'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import type { Code } from '../../../ui/message-html/content-parts.ts'
import { toPlaygroundAddress } from '../playground-address.ts'

/** Links that open code in the playgrounds for its language. */
export function CodeLinks({ language, text }: Code): ReactNode {
  const { realm_playgrounds } = useOrganization()
  const requested = language.toLowerCase()
  return realm_playgrounds
    .filter((one) => one.pygments_language.toLowerCase() === requested)
    .map(({ id, name, url_template }) => (
      <a
        key={id}
        className="content-tool"
        href={toPlaygroundAddress(url_template, text)}
        target="_blank"
        rel="noopener noreferrer"
        title={t('Open in {name}', { name })}
        aria-label={t('Open in {name}', { name })}
      >
        <Play className="icon" aria-hidden="true" />
      </a>
    ))
}
