import { Link } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { dismissVersion } from '../../store/browser/seen-version.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import './whats-new-note.css'

/** Tells the user once that the server was upgraded. */
export function WhatsNewNote({ version, onClose }: { version: string; onClose: () => void }): ReactNode {
  const dismiss = () => {
    dismissVersion(version)
    onClose()
  }
  return (
    <section className="whats-new" aria-label={t('New version')}>
      <p>
        {t('Parley has been updated to version {version}.', { version })}{' '}
        <Link to="/help/$page" params={{ page: 'whats-new' }} onClick={dismiss}>
          {t('See what’s new')}
        </Link>
      </p>
      <IconButton label={t('Dismiss')} icon={X} onPress={dismiss} />
    </section>
  )
}
