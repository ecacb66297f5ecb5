import { completeWithChannels, showChannelsStep } from './channels-step.ts'
import { answerJoiningStep, showJoiningStep } from './joining-step.ts'
import { answerOrganizationStep, showOrganizationStep } from './organization-step.ts'
import { answerOwnerStep, showOwnerStep } from './owner-step.ts'

export const setupPages = [
  showOrganizationStep,
  answerOrganizationStep,
  showOwnerStep,
  answerOwnerStep,
  showJoiningStep,
  answerJoiningStep,
  showChannelsStep,
  completeWithChannels,
]
