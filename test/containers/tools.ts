import { TOOLS, type Tool } from '../runner/needed-tools.ts';

/** Tools for the trial of the containers, in addition to those of the tests. */
export const CONTAINER_TOOLS: readonly Tool[] = [
  ...TOOLS,
  {
    needs: [{ program: '/usr/sbin/dockerd' }, { program: '/usr/bin/docker' }],
    debian: ['docker.io'],
    why: 'runs the containers',
  },
  { needs: [{ program: 'iptables' }], debian: ['iptables'], why: "connects the containers' networks" },
  { needs: [{ program: 'debootstrap' }], debian: ['debootstrap'], why: 'makes the base of the substitute images' },
  { needs: [{ program: 'nsenter' }], debian: ['util-linux'], why: 'starts programs in the network of the trial' },
];
