# shellcheck shell=bash
# A whole Slurm on this host, for tests: munge, a controller and two nodes, each a process in the foreground that the caller
# can end. All of its files are in one folder, its ports are free ones, and no other Slurm of the host is touched. Needs root.
#
#     source tests/slurm_cluster.sh
#     why=$(cluster_lacks) || skip "$why"
#     cluster_start FOLDER && cluster_node n1 && cluster_node n2     sets SLURM_CONF
#     cluster_kill_node n1; cluster_kill_controller; cluster_controller
#     cluster_stop

declare -gA cluster_pids=() # bats reads this file in a function

# cluster_lacks: prints what is missing and fails, or succeeds.
cluster_lacks() {
    local program
    for program in munged slurmctld slurmd sbatch squeue; do
        command -v $program >/dev/null || { echo "there is no $program (Debian: slurm-wlm, munge)"; return 1; }
    done
    [[ $(id -u) == 0 ]] || { echo "daemons of Slurm need root"; return 1; }
}

cluster_ports() { # COUNT: so many free ports
    python3 - "$1" <<'END'
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])
END
}

# Slurm gives a GPU to a job by its device file; character devices like /dev/null are as good as GPUs here.
cluster_settings() {
    local ports node number=0
    read -ra ports < <(cluster_ports 3)
    cat <<END
ClusterName=convjudge
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/run/munge,cred_expire=10
CryptoType=crypto/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/%n
SlurmctldPidFile=$cluster/run/slurmctld.pid
SlurmdPidFile=$cluster/run/%n.pid
SlurmctldLogFile=$cluster/log/slurmctld.log
SlurmdLogFile=$cluster/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=5
END
    for node in n1 n2; do
        number=$((number + 1))
        echo "NodeName=$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=${ports[number]} CPUs=$(nproc) RealMemory=100 Gres=gpu:1"
        mknod "$cluster/gpu-$node" c 1 3
        echo "NodeName=$node Name=gpu File=$cluster/gpu-$node" >>"$cluster/gres.conf"
    done
    echo "PartitionName=main Nodes=n1,n2 Default=YES MaxTime=60 State=UP"
}

cluster_daemon() { # NAME COMMAND...: starts it in the foreground
    "${@:2}" >>"$cluster/log/$1.out" 2>&1 3>&- </dev/null &
    cluster_pids[$1]=$!
}

cluster_wait() { # COMMAND...: until it succeeds, for at most 30 s
    local deadline=$((SECONDS + 300))
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || { echo "not within 300 s: $*"; tail -n 5 "$cluster"/log/*; return 1; }
        sleep 0.1
    done
}

cluster_controller() { cluster_daemon controller slurmctld -D -f "$SLURM_CONF"; }
cluster_answers() { sinfo -h >/dev/null 2>&1; }

cluster_node() { cluster_daemon "$1" slurmd -D -N "$1" -f "$SLURM_CONF"; }

cluster_start() { # FOLDER
    cluster=$1
    mkdir -p "$cluster"/{state,log,run,n1,n2}
    chmod 755 "$cluster" "$cluster/run"
    (umask 077 && head -c 1024 /dev/urandom >"$cluster/key")
    : >"$cluster/gres.conf"
    export SLURM_CONF=$cluster/slurm.conf
    cluster_settings >"$SLURM_CONF" || return
    cluster_daemon munge munged --foreground --force --key-file="$cluster/key" --socket="$cluster/run/munge" \
        --pid-file="$cluster/run/munge.pid" --log-file="$cluster/log/munged.log" --seed-file="$cluster/seed"
    cluster_wait test -S "$cluster/run/munge" || return
    cluster_controller
    cluster_wait cluster_answers
}

# cluster_jobs NODE: the processes of jobs on this node of this cluster, and those that look after them.
cluster_jobs() {
    local environment pid parent
    for environment in /proc/[0-9]*/environ; do
        pid=${environment//[!0-9]/}
        grep -zqx "SLURMD_NODENAME=$1" "$environment" 2>/dev/null || continue
        grep -zqx "SLURM_CONF=$SLURM_CONF" "$environment" 2>/dev/null || continue
        echo "$pid"
        parent=$(sed -n 's/^PPid:\t//p' "/proc/$pid/status" 2>/dev/null) || continue
        if grep -q '^slurmstepd' "/proc/$parent/cmdline" 2>/dev/null; then echo "$parent"; fi
    done | sort -un
}

cluster_kill() { # NAME SIGNAL: of a daemon
    local pid=${cluster_pids[$1]:-}
    [[ -n $pid ]] || return 0
    unset "cluster_pids[$1]"
    kill "-$2" "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

cluster_kill_controller() { cluster_kill controller KILL; }

# cluster_kill_node NODE: as if its power had failed.
cluster_kill_node() {
    local pids
    cluster_kill "$1" KILL
    mapfile -t pids < <(cluster_jobs "$1")
    if [[ ${#pids[@]} != 0 ]]; then kill -KILL "${pids[@]}" 2>/dev/null || true; fi
}

cluster_stop() {
    local name
    [[ -n ${cluster:-} ]] || return 0
    for name in n1 n2; do cluster_kill_node $name; done
    cluster_kill controller KILL
    cluster_kill munge TERM
    cluster=
}
