import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { type Channel, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { SaveLine } from '../../settings/save-status.tsx'
import { useSavedValue } from '../../settings/use-saved-value.ts'

const DEFAULT = 0
const FOREVER = -1
const DAYS = [30, 90, 365]

/**
 * The setting for how long a channel keeps its messages. Only owners can change it, and a shorter period needs a
 * confirmation.
 */
export function Retention({ channel }: { channel: Channel }): ReactNode {
  const { stream_id, name } = channel
  const { realm_message_retention_days: usual } = useOrganization()
  const value = channel.message_retention_days ?? DEFAULT
  const [asked, ask] = useState<{ days: number; run: () => void } | null>(null)
  const { change, undo, state, error } = useSavedValue(
    value,
    (days) => call('PATCH /streams/{stream_id}', { stream_id, message_retention_days: toParameter(days) }),
    { scope: `retention of ${stream_id}` },
  )
  const daysOf = (chosen: number) => (chosen === DEFAULT ? usual : chosen)
  const options = [...new Set([DEFAULT, ...DAYS, FOREVER, value])].map((id) => ({
    id,
    label: id === DEFAULT ? t('Organization default: {period}', { period: periodName(usual) }) : periodName(id),
  }))

  function confirm(days: number, run: () => void) {
    if (isShorter(daysOf(days), daysOf(value))) ask({ days, run })
    else run()
  }

  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object}>
      <SelectField
        label={t('Message retention')}
        description={t('Older messages are permanently deleted for everyone.')}
        value={value}
        options={options}
        error={error}
        onChange={(days) => confirm(days, () => change(days))}
      />
      <SaveLine
        label={t('Message retention')}
        state={state}
        undo={undo && { ...undo, run: () => confirm(undo.to, undo.run) }}
      />
      {asked !== null && (
        <Dialog
          title={t('Delete older messages in #{name}?', { name })}
          role="alertdialog"
          isOpen
          onClose={() => ask(null)}
        >
          <div className="dialog-body">
            <p>
              {t(
                'Messages older than {days, plural, one {# day} other {# days}} will be permanently deleted for everyone.',
                { days: daysOf(asked.days) },
              )}
            </p>
          </div>
          <DialogActions>
            <Button onPress={() => ask(null)}>{t('Cancel')}</Button>
            <Button
              kind="danger"
              onPress={() => {
                asked.run()
                ask(null)
              }}
            >
              {t('Delete older messages')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

/** Returns the API parameter. Text is encoded as JSON, because the parameter also accepts numbers. */
const toParameter = (days: number): number | string =>
  days === DEFAULT ? '"realm_default"' : days === FOREVER ? '"unlimited"' : days

const isShorter = (days: number, before: number): boolean => days > 0 && (before < 0 || days < before)

const periodName = (days: number): string =>
  days < 0 ? t('Forever') : t('{days, plural, one {# day} other {# days}}', { days })
