#!/usr/bin/env bash
# On a machine with a GPU and Nsight Compute: profiles one call of each case of a plan.
# Usage: tools/hardware/profile.sh DRIVER PLAN CSV     (plan.py; CSV has a row for each launch, in the plan's order)
set -euo pipefail
driver=$1 plan=$2 csv=$3
metrics='
gpu__time_duration.sum
smsp__inst_executed.sum
smsp__inst_executed_op_ldc.sum
smsp__sass_thread_inst_executed_op_fadd_pred_on.sum
smsp__sass_thread_inst_executed_op_ffma_pred_on.sum
smsp__sass_thread_inst_executed_op_fmul_pred_on.sum
smsp__sass_inst_executed_op_global_ld.sum
smsp__sass_inst_executed_op_global_st.sum
smsp__sass_inst_executed_op_shared_ld.sum
smsp__sass_inst_executed_op_shared_st.sum
smsp__sass_data_bytes_mem_global_op_ld.sum
smsp__sass_data_bytes_mem_global_op_st.sum
smsp__sass_data_bytes_mem_shared_op_ld.sum
smsp__sass_data_bytes_mem_shared_op_st.sum
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
l1tex__data_pipe_lsu_wavefronts.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
idc__requests.sum
idc__requests_lookup_hit.sum
idc__requests_lookup_miss.sum
lts__t_sectors_op_read.sum
lts__t_sectors_op_write.sum
lts__t_sectors_srcunit_tex_op_read.sum
lts__t_sectors_srcunit_tex_op_write.sum
dram__bytes_read.sum
dram__bytes_write.sum
sm__inst_executed_pipe_uniform.sum
sm__warps_active.avg.pct_of_peak_sustained_active
sm__maximum_warps_per_active_cycle_pct
launch__registers_per_thread
launch__occupancy_limit_blocks
launch__occupancy_limit_registers
launch__occupancy_limit_shared_mem
launch__occupancy_limit_warps'

# What this GPU does not count is left out: ncu refuses the whole list for one name that it does not know.
known=$(ncu --query-metrics 2>/dev/null | awk '{print $1}' | sort -u)
[[ -n $known ]] || { echo "profile.sh: ncu lists no metrics" >&2; exit 1; }
list=$(for metric in $metrics; do
    case $metric in
    launch__* | sm__maximum_warps_per_active_cycle_pct) echo "$metric" ;;
    *) grep -qx "${metric%%.*}" <<<"$known" && echo "$metric" || echo "profile.sh: no $metric here" >&2 ;;
    esac
done | paste -sd,)
ncu --clock-control none --print-units base --csv --page raw --kernel-name-base mangled --metrics "$list" \
    --log-file "$csv" "$driver" "$plan"
