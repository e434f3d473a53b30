import { Argument, type Command } from 'commander';

const scripts = {
  bash: `_agent_herald() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(agent-herald complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _agent_herald agent-herald`,
  zsh: `#compdef agent-herald
_agent_herald() {
  compadd -- \${(f)"$(agent-herald complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"} || _files
}
# A shell without other settings has no completion yet.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
compdef _agent_herald agent-herald`,
  fish: `function __agent_herald
  set -l found (agent-herald complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c agent-herald -f -a '(__agent_herald)'`,
} as const;

const help = `
Add the script to your shell:
  bash  agent-herald completion bash >> ~/.bashrc
  zsh   agent-herald completion zsh >> ~/.zshrc
  fish  agent-herald completion fish > ~/.config/fish/completions/agent-herald.fish
`;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText('after', help)
    .action((shell: keyof typeof scripts) => {
      process.stdout.write(`${scripts[shell]}\n`);
    });
  program
    .command('complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action((words: string[]) => {
      process.stdout.write(completionsOf(program, words).join('\n'));
    });
}

/** Returns the completions of the last word. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const command = commandOf(program, before);
  const options = [...command.options, ...program.options];
  const index = before.findLastIndex((word) => word.startsWith('--'));
  const given = options.find(({ long }) => long === before[index]);
  const isValue = given?.required === true && (given.variadic || index === before.length - 1);
  const candidates =
    given !== undefined && isValue
      ? (given.argChoices ?? [])
      : [
          ...command.commands
            .filter((each) => each.name() !== 'complete')
            .map((each) => each.name()),
          ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
          ...options.flatMap(({ long }) => long ?? []),
          '--help',
        ];
  return candidates.filter(
    (each) => each.startsWith(last) && (last !== '' || !each.startsWith('-')),
  );
}

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words)
    command = command.commands.find((each) => each.name() === word) ?? command;
  return command;
}
