import { useMutation } from '@tanstack/react-query'
import UserPlus from 'lucide-react/icons/user-plus'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useKept } from '../../store/kept.ts'
import { type Channel, useOrganization } from '../../store/organization.ts'
import { addSubscribers } from '../../store/subscribers.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { toast } from '../../ui/toast.ts'
import { Picker } from './picker.tsx'
import { addressesOf, type Choice, peopleOf } from './picks.ts'
import { membersOfPicked } from './subscribing.ts'

const NOBODY: { picks: readonly Choice[] } = { picks: [] }

/** Adds people, groups and everybody of other channels to a channel. Whom one picked stays until they are added. */
export function AddPeople({ channel, present }: { channel: Channel; present: ReadonlySet<number> }): ReactNode {
  const { stream_id, name } = channel
  const organization = useOrganization()
  const [{ picks }, keep, forget] = useKept(`channels.add.${stream_id}`, () => NOBODY)
  const [complaint, setComplaint] = useState<string | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    async mutationFn() {
      const all = peopleOf(organization, picks, await membersOfPicked(picks))
      const missing = all.filter((id) => !present.has(id))
      if (missing.length > 0)
        await call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: missing })
      return { missing, there: all.length - missing.length }
    },
    onSuccess({ missing, there }) {
      addSubscribers([stream_id], missing)
      forget()
      toast(added(missing.length, there, name))
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const strangers = addressesOf(picks)
    const found =
      strangers.length > 0
        ? `Take out who is nobody here: ${strangers.join(', ')}`
        : picks.length === 0
          ? 'Choose somebody first.'
          : null
    setComplaint(found)
    if (found === null) mutate()
  }

  return (
    <form className="card settings-card" aria-label="Add people" noValidate onSubmit={submit}>
      {error !== null && <ErrorNotice title="Nobody was added" trouble={toTrouble(error)} />}
      <Picker
        label="Add people"
        description="People, groups, or everybody of another channel. You can paste addresses."
        offered={{ groups: 'all', channels: true }}
        picks={picks}
        without={present}
        onChange={(picks) => {
          keep({ picks })
          setComplaint(null)
          reset()
        }}
      />
      {complaint !== null && (
        <p className="field-error" role="alert">
          {complaint}
        </p>
      )}
      <div>
        <Button type="submit" isPending={isPending} icon={<UserPlus className="icon" aria-hidden="true" />}>
          Add to {name}
        </Button>
      </div>
    </form>
  )
}

function added(count: number, there: number, name: string): string {
  if (count === 0) return `All of them were in ${name} already`
  const came = count === 1 ? `1 person is in ${name} now` : `${count} people are in ${name} now`
  return there === 0 ? came : `${came}; ${there} ${there === 1 ? 'was' : 'were'} there already`
}
