import ChevronDown from 'lucide-react/icons/chevron-down'
import EyeOff from 'lucide-react/icons/eye-off'
import { type ReactNode, useId } from 'react'
import { t } from '../../text/t.ts'
import { useOpened } from '../content-parts.ts'
import './spoiler.css'

/**
 * Content that is hidden until the user opens it. Hidden content is not on the page, so that the browser's search does
 * not find it.
 */
export function Spoiler(props: { header: ReactNode; content: ReactNode; part: string }): ReactNode {
  const { header, content, part } = props
  const [isOpen, setOpen] = useOpened(`spoiler ${part}`)
  const id = useId()
  return (
    <div className="spoiler-block" data-open={isOpen ? '' : undefined}>
      <div className="spoiler-head">
        <EyeOff className="icon" aria-hidden="true" />
        <div className="spoiler-header">{header ?? <p>{t('Spoiler')}</p>}</div>
        <button
          type="button"
          className="spoiler-button"
          aria-label={isOpen ? t('Hide spoiler') : t('Show spoiler')}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronDown className="icon" aria-hidden="true" />
        </button>
      </div>
      {isOpen && (
        <div className="spoiler-content" id={id}>
          {content}
        </div>
      )}
    </div>
  )
}
