import { useMutation } from '@tanstack/react-query'
import Link2 from 'lucide-react/icons/link-2'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { ConfirmRemovalDialog } from '../confirm-removal-dialog.tsx'
import { type Linkifier, moveItem } from './linkifier.ts'
import { LinkifierDialog } from './linkifier-dialog.tsx'
import './linkifiers.css'
import { t } from '../../../text/t.ts'
import { LinkifierTest } from './linkifier-test.tsx'

type Opened = { act: 'add' } | { act: 'change' | 'remove'; rule: Linkifier }

/** The list of linkifiers in the order in which they are tried. The first match applies. */
export function Linkifiers(): ReactNode {
  const { realm_linkifiers: rules } = useOrganization()
  const [opened, setOpened] = useState<Opened | null>(null)
  const section = useRef<HTMLElement>(null)
  const ordering = useMutation({
    mutationFn: (ordered_linkifier_ids: number[]) => call('PATCH /realm/linkifiers', { ordered_linkifier_ids }),
  })
  const ids = rules.map(({ id }) => id)
  const actsOn = (rule: Linkifier, at: number) => [
    { label: t('Edit'), run: () => setOpened({ act: 'change', rule }) },
    ...(at > 0 ? [{ label: t('Move up'), run: () => ordering.mutate(moveItem(ids, at, -1)) }] : []),
    ...(at < ids.length - 1 ? [{ label: t('Move down'), run: () => ordering.mutate(moveItem(ids, at, 1)) }] : []),
    { label: t('Remove'), run: () => setOpened({ act: 'remove', rule }), isDanger: true },
  ]

  return (
    <div className="stack">
      <section ref={section} className="settings-list" aria-label={t('Links')} tabIndex={-1}>
        <div>
          <Button
            kind="primary"
            icon={<Plus className="icon" aria-hidden="true" />}
            onPress={() => setOpened({ act: 'add' })}
          >
            {t('Add linkifier')}
          </Button>
        </div>
        {ordering.error !== null && (
          <ErrorNotice title={t('Couldn’t save the order')} error={toAppError(ordering.error)} />
        )}
        {rules.length === 0 ? (
          <Empty icon={<Link2 />} title={t('No linkifiers yet')}>
            <p>{t('Only URLs become links. Add a linkifier to link issue numbers, orders or tickets.')}</p>
          </Empty>
        ) : (
          <ol className="link-rules" aria-label={t('Linkifiers')}>
            {rules.map((rule, at) => (
              <li key={rule.id}>
                <span className="link-rule">
                  <code>{rule.pattern}</code>
                  <span className="soft small">{rule.url_template}</span>
                </span>
                <RowMenu label={t('Actions for {pattern}', { pattern: rule.pattern })} items={actsOn(rule, at)} />
              </li>
            ))}
          </ol>
        )}
      </section>
      {rules.length > 0 && <LinkifierTest rules={rules} />}
      {opened?.act === 'add' && <LinkifierDialog rule={null} onClose={() => setOpened(null)} />}
      {opened?.act === 'change' && <LinkifierDialog rule={opened.rule} onClose={() => setOpened(null)} />}
      {opened?.act === 'remove' && (
        <ConfirmRemovalDialog
          name={opened.rule.pattern}
          remove={() => call('DELETE /realm/filters/{filter_id}', { filter_id: opened.rule.id })}
          onClose={() => {
            setOpened(null)
            // The menu that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        >
          {t('Existing messages keep their links.')}
        </ConfirmRemovalDialog>
      )}
    </div>
  )
}
