// Preloaded into the process of a node: each SIGUSR2 moves its clock to the next of these differences from the clock of
// the machine, in seconds.
const DIFFERENCES = [120, -120, 0]

const machineNow = Date.now
let jumps = 0

Date.now = () => machineNow() + (jumps === 0 ? 0 : DIFFERENCES[(jumps - 1) % DIFFERENCES.length] * 1000)
process.on('SIGUSR2', () => {
  jumps += 1
})
