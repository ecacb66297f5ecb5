import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { currentOrganization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import type { Destination } from '../destination.ts'
import { type CallKind, findCallService } from './format-bar.tsx'
import { type Edit, emojiEdit, type Selection } from './formatting.ts'

/** Returns an edit that inserts a link to a call. */
export const callEdit = (address: string, kind: CallKind, selection: Selection): Edit =>
  emojiEdit(`[${kind === 'video' ? t('Join video call.') : t('Join voice call.')}](${address})`, selection)

/**
 * Returns the address of a new call on a Jitsi server. The name of the room can't be guessed, because anyone who knows it
 * can enter the room.
 */
const newJitsiCall = (server: string, kind: CallKind): string =>
  `${server.replace(/\/+$/, '')}/${randomRoom()}${kind === 'voice' ? '#config.startWithVideoMuted=true' : ''}`

/** Letters and digits that are easy to distinguish, because people may read the name of a room aloud. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'

const randomRoom = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => SIGNS[byte % SIGNS.length]).join('')

/**
 * Returns the address of a new call on the service of the organization. Returns null if the user has to connect their
 * account at Zoom first.
 */
export async function startCall(kind: CallKind, destination: Destination): Promise<string | null> {
  const organization = currentOrganization()
  const service = organization === undefined ? null : findCallService(organization)
  if (organization === undefined || service === null) throw new Error('The organization has no calls')
  if (service === 'big_blue_button') return startBigBlueButtonCall(kind, destination)
  if (service !== 'zoom') return newJitsiCall(service, kind)
  if (!organization.has_zoom_token) return null
  try {
    return await startZoomCall(kind)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_ZOOM_ACCESS_TOKEN') return null
    throw error
  }
}

/** The call has the name of the conversation. */
async function startBigBlueButtonCall(kind: CallKind, destination: Destination): Promise<string> {
  const { url } = await call('GET /calls/bigbluebutton/create', {
    meeting_name: meetingName(destination),
    voice_only: kind === 'voice',
  })
  return new URL(url, location.origin).href
}

function meetingName(destination: Destination): string {
  const organization = currentOrganization()
  if (destination.kind === 'direct') return organization?.realm_name ?? ''
  const { channelId, topic } = destination
  const channel = organization?.subscriptions.find(({ stream_id }) => stream_id === channelId)?.name
  return [channel, topic].filter(Boolean).join(' › ')
}

async function startZoomCall(kind: CallKind): Promise<string> {
  return (await call('POST /calls/zoom/create', { is_video_call: kind === 'video' })).url
}

/** Asks the user to connect their account at Zoom, and then starts the call. */
export function ZoomDialog(props: {
  kind: CallKind
  onStart: (address: string) => void
  onClose: () => void
}): ReactNode {
  const { kind, onStart, onClose } = props
  const { has_zoom_token: isConnected } = useOrganization('has_zoom_token')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => startZoomCall(kind),
    onSuccess: onStart,
  })
  useEffect(() => {
    if (isConnected) mutate()
  }, [isConnected, mutate])
  return (
    <Dialog title={t('Connect Zoom')} isOpen onClose={onClose}>
      <div className="dialog-body">
        {isPending ? (
          <Loading label={t('Starting the call')} lines={2} />
        ) : error !== null && isConnected ? (
          <ErrorNotice title={t('Couldn’t start the call')} error={toAppError(error)} onRetry={() => mutate()} />
        ) : (
          <p>
            {t(
              'Calls in this organization are on Zoom. Log in there once, and allow starting meetings in your account. The call is then added to your message.',
            )}
          </p>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        {!isConnected && (
          <a className="button button-primary" href="/calls/zoom/register" target="_blank" rel="noopener">
            {t('Continue to Zoom')}
          </a>
        )}
      </DialogActions>
    </Dialog>
  )
}
