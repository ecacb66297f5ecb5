import Plus from 'lucide-react/icons/plus'
import SquareCode from 'lucide-react/icons/square-code'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { type Organization, useOrganization } from '../../../store/organization.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import '../linkifiers/linkifiers.css'
import { t } from '../../../text/t.ts'
import { ConfirmRemovalDialog } from '../confirm-removal-dialog.tsx'
import { NewPlaygroundDialog } from './new-playground-dialog.tsx'

type Playground = Organization['realm_playgrounds'][number]

export function Playgrounds(): ReactNode {
  const { realm_playgrounds } = useOrganization()
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Playground | null>(null)
  const section = useRef<HTMLElement>(null)
  const shown = realm_playgrounds.toSorted((one, other) =>
    `${one.pygments_language} ${one.name}`.localeCompare(`${other.pygments_language} ${other.name}`),
  )
  return (
    <section ref={section} className="settings-list" aria-label={t('Playgrounds')} tabIndex={-1}>
      <div>
        <Button kind="primary" icon={<Plus className="icon" aria-hidden="true" />} onPress={() => setAdding(true)}>
          {t('Add playground')}
        </Button>
      </div>
      {shown.length === 0 ? (
        <Empty icon={<SquareCode />} title={t('No playgrounds yet')}>
          <p>{t('Code blocks in a playground’s language get a button that opens the code there.')}</p>
        </Empty>
      ) : (
        <ul className="link-rules" aria-label={t('Playgrounds')}>
          {shown.map((playground) => (
            <li key={playground.id}>
              <span className="link-rule">
                <span>
                  {playground.pygments_language}: {playground.name}
                </span>
                <span className="soft small">{playground.url_template}</span>
              </span>
              <Button
                kind="quiet"
                aria-label={t('Remove {name} for {language}', {
                  name: playground.name,
                  language: playground.pygments_language,
                })}
                onPress={() => setRemoved(playground)}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isAdding && <NewPlaygroundDialog onClose={() => setAdding(false)} />}
      {removed !== null && (
        <ConfirmRemovalDialog
          name={removed.name}
          remove={() => call('DELETE /realm/playgrounds/{playground_id}', { playground_id: removed.id })}
          onClose={() => {
            setRemoved(null)
            // The button that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        >
          {t('{language} code in messages will no longer link to it.', {
            language: removed.pygments_language,
          })}
        </ConfirmRemovalDialog>
      )}
    </section>
  )
}
