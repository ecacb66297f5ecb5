import { type ReactNode, useMemo, useState } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { PickedTags } from '../../ui/fields/picked-tags.tsx'
import { type AddressContext, type AddressStatus, addressStatus } from './addresses.ts'

const REMARKS: Readonly<Record<AddressStatus, { remark?: string; kind?: 'warn' | 'danger' }>> = {
  fine: {},
  malformed: { remark: t('invalid address'), kind: 'danger' },
  member: { remark: t('already a member'), kind: 'warn' },
  invited: { remark: t('already invited'), kind: 'warn' },
  foreign: { remark: t('domain not allowed'), kind: 'warn' },
}

/** The maximum number of tags that are shown at first, since a thousand take seconds to render. */
const SHOWN = 60

type Props = { emails: readonly string[]; known: AddressContext; onRemove: (removed: ReadonlySet<string>) => void }

/** Email addresses as removable tags. If there are many, those with problems come first. */
export function AddressTags({ emails, known, onRemove }: Props): ReactNode {
  const [showsAll, showAll] = useState(false)
  const judged = useMemo(() => emails.map((email) => ({ email, status: addressStatus(email, known) })), [emails, known])
  const malformed = judged.filter(({ status }) => status === 'malformed').map(({ email }) => email)
  const isLong = !showsAll && judged.length > SHOWN
  const shown = useMemo(
    () => (isLong ? judged.toSorted((one, other) => rank(one) - rank(other)).slice(0, SHOWN) : judged),
    [judged, isLong],
  )
  const tags = useMemo(
    () => shown.map(({ email, status }) => ({ id: email, label: email, ...REMARKS[status] })),
    [shown],
  )
  const count = t('{count, plural, one {# address} other {# addresses}}', { count: emails.length })
  return (
    <>
      <PickedTags label={count} tags={tags} onRemove={(ids) => onRemove(new Set([...ids].map(String)))} />
      <div className="row">
        {isLong && <Button onPress={() => showAll(true)}>{t('Show all {count}', { count: emails.length })}</Button>}
        {malformed.length > 1 && (
          <Button onPress={() => onRemove(new Set(malformed))}>
            {t('{count, plural, one {Remove # invalid address} other {Remove # invalid addresses}}', {
              count: malformed.length,
            })}
          </Button>
        )}
      </div>
      <span className="visually-hidden" role="status">
        {count}
      </span>
    </>
  )
}

const rank = ({ status }: { status: AddressStatus }) => (status === 'malformed' ? 0 : status === 'fine' ? 2 : 1)
