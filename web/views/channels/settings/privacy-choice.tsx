import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { type Channel, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { RadioCards } from '../../../ui/fields/radio-cards.tsx'
import { availablePrivacies, PRIVACIES, type Privacy, privacyOf, toChangedPrivacy } from '../privacy.ts'
import { privacyCards } from '../privacy-cards.tsx'
import { mayCreateChannels } from '../rights.ts'

/** The privacy of a channel. It needs an explicit save, since it can expose messages to many users. */
export function PrivacyChoice({ channel, mayChange }: { channel: Channel; mayChange: boolean }): ReactNode {
  const organization = useOrganization()
  const present = privacyOf(channel)
  const [chosen, choose] = useState<Privacy | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (privacy: Privacy) =>
      call('PATCH /streams/{stream_id}', { stream_id: channel.stream_id, ...toChangedPrivacy(privacy) }),
    onSuccess(_, privacy) {
      choose(null)
      showToast(t('#{name} is now {privacy}', { name: channel.name, privacy: PRIVACIES[privacy].label.toLowerCase() }))
    },
  })
  const offered = mayChange ? availablePrivacies(mayCreateChannels(organization), present) : [present]
  const shown = offered.find((one) => one === chosen) ?? present

  function take(value: string) {
    reset()
    choose(value as Privacy)
  }

  return (
    <section className="settings-form" aria-label={t('Who can join')}>
      {error !== null && <ErrorNotice title={t('Couldn’t save the change')} error={toAppError(error)} />}
      <RadioCards
        label={t('Who can join?')}
        value={shown}
        onChange={take}
        cards={privacyCards(offered)}
        isDisabled={offered.length === 1}
      />
      {shown !== present && (
        <div className="stack">
          <p>{consequence(present, shown)}</p>
          <div className="row">
            <Button kind="primary" isPending={isPending} onPress={() => mutate(shown)}>
              {t('Save')}
            </Button>
            <Button onPress={() => choose(null)}>{t('Cancel')}</Button>
          </div>
        </div>
      )}
    </section>
  )
}

function consequence(before: Privacy, after: Privacy): string {
  if (!after.startsWith('private')) return t('All members will be able to find it and read all its messages.')
  if (after === 'private-shared' && before === 'private-protected')
    return t('Subscribers will be able to read messages sent before they joined.')
  if (!before.startsWith('private')) return t('Current subscribers stay. Others will no longer find it.')
  return t('New subscribers won’t be able to read earlier messages.')
}
